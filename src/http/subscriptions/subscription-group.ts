/** One execution for all subscriptions with equal answers: each answer is made and serialized once. */
import type { ExecutionResult, GraphQLError } from 'graphql';
import { isAfter, placeOf, type Following, type StreamPosition } from '../../events/following.js';
import { Answer } from '../answers/answer.js';
import { asGraphQLError, outcomeOf } from './failure.js';

export interface Member {
  /** Position of the last answer sent to the client. */
  place: StreamPosition;
  push(answer: Answer): void;
  /** The client already got a part of the group's current answer, so it leaves the group. */
  overtake(): void;
  complete(): void;
  fail(error: GraphQLError): void;
}

/** A running subscription: its results and its position in the log. */
export interface Run {
  results: AsyncIterator<ExecutionResult>;
  following: Following;
}

export class SubscriptionGroup {
  readonly #members = new Set<Member>();
  #run: Run | null = null;
  /** Whether the last member left. */
  #hasEnded = false;

  /**
   * @param place its answers begin after this place
   * @param onEnd called once, when the last member left
   */
  constructor(
    public place: StreamPosition,
    private readonly onEnd: () => void,
  ) {}

  /** Adds a client that is at the group's position or ahead. */
  add(member: Member): void {
    this.#members.add(member);
  }

  remove(member: Member): void {
    this.#members.delete(member);
    if (this.#members.size === 0) this.#end();
  }

  /**
   * Sends the answers of a run until it ends or all members left.
   * @param started a run that begins after `place`, or the reason of its refusal
   */
  async run(started: Promise<Run | ExecutionResult>): Promise<void> {
    try {
      const run = await started;
      if (!('results' in run)) return this.#fail(asGraphQLError(run.errors?.[0]));
      if (this.#hasEnded) return void run.results.return?.();
      this.#run = run;
      // Not awaited as a value: a suspended async function would keep the result.
      while (await run.results.next().then((result) => this.#take(result, placeOf(run.following))));
      for (const member of this.#members) member.complete();
    } catch (error) {
      this.#fail(asGraphQLError(error));
    } finally {
      this.#end();
    }
  }

  /** @returns whether more can follow */
  #take(result: IteratorResult<ExecutionResult, unknown>, place: StreamPosition): boolean {
    if (result.done === true || this.#hasEnded) return false;
    const outcome = outcomeOf(result.value);
    if (outcome.kind === 'failure') {
      this.#fail(outcome.error);
      return false;
    }
    if (outcome.kind === 'answer') this.#send(new Answer(result.value), place);
    return true;
  }

  /** @param place position after the answer */
  #send(answer: Answer, place: StreamPosition): void {
    const before = this.place;
    this.place = place;
    // Some members are ahead of the group since their own run.
    for (const member of this.#members) {
      if (!isAfter(place, member.place)) continue;
      if (isAfter(member.place, before)) {
        // The answer covers several events, and the member's position is among them.
        this.remove(member);
        member.overtake();
        continue;
      }
      member.place = place;
      member.push(answer);
    }
  }

  #fail(error: GraphQLError): void {
    for (const member of this.#members) member.fail(error);
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#members.clear();
    void this.#run?.results.return?.();
    this.onEnd();
  }
}
