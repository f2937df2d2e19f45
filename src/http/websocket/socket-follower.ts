import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Answer, JsonPiece } from '../answers/answer.js';
import { isTooSlow, isUnavailable } from '../subscriptions/failure.js';
import type { Follower } from '../subscriptions/follower.js';
import type { ClientSocket } from './client-socket.js';
import { CloseCode } from './close-codes.js';

/** Formats the answers of an operation as messages; everything but the answer is serialized once. */
export function nextMessages(id: string): (answer: Answer) => readonly JsonPiece[] {
  const before = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
  return (answer) => {
    const pieces = [before, ...answer.pieces, '}'];
    return pieces.every((piece) => typeof piece === 'string') ? [pieces.join('')] : pieces;
  };
}

/**
 * A subscription on a socket. Answers go directly to the socket; graphql-ws sees an empty source that ends with the
 * subscription.
 */
export class SocketFollower implements Follower, AsyncIterableIterator<ExecutionResult> {
  readonly #message: (answer: Answer) => readonly JsonPiece[];
  readonly #ended: Promise<void>;
  #end!: (error?: GraphQLError) => void;
  #leave: (() => void) | null = null;
  #hasReturned = false;

  /** @param id id of the operation */
  constructor(
    private readonly socket: ClientSocket,
    id: string,
  ) {
    this.#message = nextMessages(id);
    this.#ended = new Promise((resolve, reject) => {
      this.#end = (error) => (error === undefined ? resolve() : reject(error));
    });
    // The consumer of the answers handles it, if there still is a consumer.
    this.#ended.catch(() => {});
  }

  /** Sets the callback for the client's disconnection. */
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

  // Clients take an error as the end of a subscription, but reconnect after a close.
  fail(error: GraphQLError): void {
    if (isUnavailable(error)) this.socket.retire(CloseCode.tryLater, 'The database cannot be reached: reconnect later');
    else if (isTooSlow(error)) this.socket.retire(CloseCode.tooSlow, 'Too slow: continue with after, or start over');
    else this.#end(error);
  }

  // The socket closes with a code that gives the reason.
  cutOff(): void {}
}
