/** One execution for all whose subscription gives the same answers: each answer is made and written once. */
import type { ExecutionResult, GraphQLError } from 'graphql';
import { isAfter, placeOf, type Following, type Place } from '../../events/log-stream.js';
import { Answer } from './answer.js';
import { asGraphQLError, outcomeOf } from './failure.js';

/** A client of a subscription. */
export interface Member {
  /** The place of the last that it has been told. */
  place: Place;
  push(answer: Answer): void;
  /** A part of what the group is told now, it has been told before: it is not in the group any more. */
  overtake(): void;
  complete(): void;
  fail(error: GraphQLError): void;
}

/** A subscription that runs: its results, and how far it is in the log. */
export interface Run {
  results: AsyncIterator<ExecutionResult>;
  following: Following;
}

export class SubscriptionGroup {
  readonly #members = new Set<Member>();
  #run: Run | null = null;
  #hasEnded = false;

  /**
   * @param place its answers begin after this place
   * @param onEnd called once, when nobody is in it any more
   */
  constructor(
    public place: Place,
    private readonly onEnd: () => void,
  ) {}

  /** Takes in somebody who is as far as the group, or farther. */
  add(member: Member): void {
    this.#members.add(member);
  }

  remove(member: Member): void {
    this.#members.delete(member);
    if (this.#members.size === 0) this.#end();
  }

  /**
   * Sends the answers of a run until it is over, or everybody has left.
   * @param started a run that begins after `place`, or why it was refused
   */
  async run(started: Promise<Run | ExecutionResult>): Promise<void> {
    try {
      const run = await started;
      if (!('results' in run)) return this.#fail(asGraphQLError(run.errors?.[0]));
      if (this.#isOver()) return void run.results.return?.();
      this.#run = run;
      // Not awaited as a value: a function that waits for the next result would keep this one.
      while (await run.results.next().then((result) => this.#take(result, placeOf(run.following))));
      for (const member of this.#members) member.complete();
    } catch (error) {
      this.#fail(asGraphQLError(error));
    } finally {
      this.#end();
    }
  }

  /** @returns whether there may be more */
  #take(result: IteratorResult<ExecutionResult, unknown>, place: Place): boolean {
    if (result.done === true || this.#isOver()) return false;
    const outcome = outcomeOf(result.value);
    if (outcome.kind === 'failure') {
      this.#fail(outcome.error);
      return false;
    }
    if (outcome.kind === 'answer') this.#send(new Answer(result.value), place);
    return true;
  }

  /** @param place the one behind it */
  #send(answer: Answer, place: Place): void {
    const before = this.place;
    this.place = place;
    // Some are farther than the group, from when they were on their own.
    for (const member of this.#members) {
      if (!isAfter(place, member.place)) continue;
      if (isAfter(member.place, before)) {
        // One answer tells of several things at once, and it is in the middle of them.
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

  /** Whether nobody is in it any more. */
  #isOver(): boolean {
    return this.#hasEnded;
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#members.clear();
    void this.#run?.results.return?.();
    this.onEnd();
  }
}
