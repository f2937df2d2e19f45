import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Answer } from '../subscriptions/answer.js';
import { isTooSlow, isUnavailable } from '../subscriptions/failure.js';
import type { Follower } from '../subscriptions/follower.js';
import type { ClientSocket } from './client-socket.js';
import { CloseCode } from './close-codes.js';

/** What makes messages of the answers to an operation: all but the answer is written once. */
export function nextMessages(id: string): (answer: Answer) => string {
  const before = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
  return ({ json }) => `${before}${json}}`;
}

/**
 * A subscription on a socket. Answers go straight to the socket; for the library that speaks the protocol it is a
 * source without any, which ends when the subscription does.
 */
export class SocketFollower implements Follower, AsyncIterableIterator<ExecutionResult> {
  readonly #message: (answer: Answer) => string;
  readonly #ended: Promise<void>;
  #end!: (error?: GraphQLError) => void;
  #leave: (() => void) | null = null;
  #hasReturned = false;

  /** @param id of the operation */
  constructor(
    private readonly socket: ClientSocket,
    id: string,
  ) {
    this.#message = nextMessages(id);
    this.#ended = new Promise((resolve, reject) => {
      this.#end = (error) => (error === undefined ? resolve() : reject(error));
    });
    // Whoever takes the answers hears of it, if there still is somebody.
    this.#ended.catch(() => {});
  }

  /** What to do when the client goes. */
  onReturn(leave: () => void): void {
    if (this.#hasReturned) leave();
    else this.#leave = leave;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
    await this.#ended;
    return { done: true, value: undefined };
  }

  return(): Promise<IteratorResult<ExecutionResult, undefined>> {
    this.#hasReturned = true;
    this.#leave?.();
    this.#end();
    return Promise.resolve({ done: true, value: undefined });
  }

  push(answer: Answer): void {
    this.socket.push(this.#message(answer));
  }

  begin(): Promise<() => void> {
    return this.socket.catchUps.begin();
  }

  write(answer: Answer): Promise<boolean> {
    return this.socket.write(this.#message(answer));
  }

  complete(): void {
    this.#end();
  }

  // Clients take an error for the end of their subscription, and a socket that closes for a reason to come back.
  fail(error: GraphQLError): void {
    if (isUnavailable(error)) this.socket.retire(CloseCode.tryLater, 'The database cannot be reached: connect later');
    else if (isTooSlow(error)) this.socket.retire(CloseCode.tooSlow, 'Too slow: begin anew');
    else this.#end(error);
  }

  // The socket closes, with a code that says why.
  cutOff(): void {}
}
