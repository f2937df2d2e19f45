import type { ExecutionResult } from 'graphql';
import type { Answer } from '../answers/answer.js';
import type { Follower } from './follower.js';

/** Yoga breaks off the stream on an error of this name; any other error becomes an answer and an end. */
const CUT_OFF = new DOMException('The stream was cut off', 'AbortError');

/**
 * A follower whose answers are pulled, as an HTTP response does: unread answers are kept up to a bound. Beyond it,
 * after a failure and when the server stops, the stream breaks off without an end, so that clients reconnect.
 */
export class AnswerQueue implements Follower, AsyncIterableIterator<ExecutionResult> {
  #answers: { answer: Answer; onTaken?: (isTaken: boolean) => void }[] = [];
  #bytes = 0;
  #end: 'complete' | 'broken' | null = null;
  #takers: (() => void)[] = [];
  #leave: (() => void) | null = null;

  /**
   * @param bound in bytes
   * @param breakOff closes the connection, where there is one
   */
  constructor(
    private readonly bound: number,
    private readonly breakOff: () => void = () => {},
  ) {}

  /** Sets the callback for the client's disconnection. */
  onReturn(leave: () => void): void {
    if (this.#end === null) this.#leave = leave;
    else leave();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
    while (this.#answers.length === 0 && this.#end === null) {
      await new Promise<void>((resolve) => this.#takers.push(resolve));
    }
    const taken = this.#answers.shift();
    if (taken === undefined) {
      if (this.#end !== 'broken') return DONE;
      // Once: an error that is thrown again would be sent again, without end.
      this.#end = 'complete';
      this.breakOff();
      throw CUT_OFF;
    }
    this.#bytes -= taken.answer.bytes;
    taken.onTaken?.(true);
    return { done: false, value: taken.answer.forHttp() };
  }

  return(): Promise<IteratorResult<ExecutionResult, undefined>> {
    this.#finish('complete');
    return Promise.resolve(DONE);
  }

  push(answer: Answer): void {
    if (this.#end !== null) return;
    if (this.#bytes > this.bound) {
      this.cutOff();
      return;
    }
    this.#add({ answer });
  }

  write(answer: Answer): Promise<boolean> {
    return new Promise((onTaken) => {
      if (this.#end === null) this.#add({ answer, onTaken });
      else onTaken(false);
    });
  }

  complete(): void {
    this.#close('complete');
  }

  // An answer with the reason would be followed by the end, and the client would not reconnect.
  fail(): void {
    this.#close('broken');
  }

  cutOff(): void {
    this.#finish('broken');
    // A client that reads too slowly no longer pulls.
    this.breakOff();
  }

  #add(entry: { answer: Answer; onTaken?: (isTaken: boolean) => void }): void {
    this.#answers.push(entry);
    this.#bytes += entry.answer.bytes;
    this.#wake();
  }

  /** Accepts no more answers; the queued ones can still be pulled. */
  #close(end: 'complete' | 'broken'): void {
    this.#end ??= end;
    this.#wake();
  }

  /** Accepts no more answers and deletes the queued ones. */
  #finish(end: 'complete' | 'broken'): void {
    this.#close(end);
    const dropped = this.#answers;
    this.#answers = [];
    this.#bytes = 0;
    for (const { onTaken } of dropped) onTaken?.(false);
    this.#leave?.();
    this.#leave = null;
  }

  #wake(): void {
    const takers = this.#takers;
    this.#takers = [];
    for (const take of takers) take();
  }
}

const DONE: IteratorResult<ExecutionResult, undefined> = { done: true, value: undefined };
