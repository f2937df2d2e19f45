import type { ExecutionResult, GraphQLError } from 'graphql';
import { placeOf, type StreamPosition } from '../../events/following.js';
import { Answer } from '../answers/answer.js';
import { outcomeOf } from './failure.js';
import type { Follower } from './follower.js';
import type { Member, Run, SubscriptionGroup } from './subscription-group.js';

/** A client of a subscription, with its own run or in a group. */
export class FollowingClient implements Member {
  place: StreamPosition = { position: 0, mark: 0 };
  /** Whether it gets no more answers. */
  hasLeft = false;
  #run: Run | null = null;
  #group: SubscriptionGroup | null = null;
  #continueAlone = () => {};

  constructor(
    private readonly follower: Follower,
    private readonly onLeave: () => void,
    /** Called with each sent answer. */
    private readonly onAnswer: () => void,
  ) {}

  /** Sends all answers of a run, each after the client took the one before. */
  async follow(run: Run): Promise<void> {
    this.#run = run;
    // The client may have left while the run began.
    if (this.hasLeft) return void run.results.return?.();
    while (await this.#step(run));
    this.#run = null;
    this.place = placeOf(run.following);
  }

  /**
   * Sends the next answer of a run.
   * @returns whether more can follow
   */
  async #step({ results }: Run): Promise<boolean> {
    const end = await this.follower.begin?.();
    try {
      if (this.hasLeft) return false;
      // Not awaited here: a suspended async function would keep the result, and only the text must be kept while it is
      // sent.
      return await results.next().then(this.#send);
    } finally {
      end?.();
    }
  }

  readonly #send = (result: IteratorResult<ExecutionResult, unknown>): boolean | Promise<boolean> => {
    if (result.done === true || this.hasLeft) return false;
    const outcome = outcomeOf(result.value);
    if (outcome.kind === 'nothing') return true;
    if (outcome.kind === 'failure') {
      this.fail(outcome.error);
      return false;
    }
    return this.follower.write(new Answer(result.value)).then((isTaken) => {
      if (isTaken) this.onAnswer();
      else this.leave();
      return isTaken;
    });
  };

  /** @param continueAlone called when the client is ahead of the group, within an answer of the group */
  join(group: SubscriptionGroup, continueAlone: () => void): void {
    this.#group = group;
    this.#continueAlone = continueAlone;
    group.add(this);
  }

  overtake(): void {
    this.#group = null;
    this.#continueAlone();
  }

  push(answer: Answer): void {
    this.onAnswer();
    this.follower.push(answer);
  }

  complete(): void {
    if (this.hasLeft) return;
    this.leave();
    this.follower.complete();
  }

  fail(error: GraphQLError): void {
    if (this.hasLeft) return;
    this.leave();
    this.follower.fail(error);
  }

  cutOff(): void {
    this.leave();
    this.follower.cutOff();
  }

  readonly leave = (): void => {
    if (this.hasLeft) return;
    this.hasLeft = true;
    void this.#run?.results.return?.();
    this.#group?.remove(this);
    this.onLeave();
  };
}
