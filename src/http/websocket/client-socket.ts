import { setImmediate as nextRound } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { CloseCode } from './close-codes.js';

/** Of a close frame, which has 125 with the code. */
const MAX_REASON_BYTES = 123;

/** A client's socket, with a bound on what it may leave unread. */
export class ClientSocket {
  /** When something last ran on it, in milliseconds since 1970. */
  lastUsed = Date.now();
  /** Whether it has been heard of since it was last asked. */
  isAlive = true;
  /** What runs on it, subscriptions among them, by id. */
  operations: Readonly<Record<string, unknown>> = {};
  /** Queries and mutations that run. */
  #running = 0;
  /** Of what was written, and has not left yet: as much as the operations of a socket answer at once. */
  #awaitedBytes = 0;
  /** Settles when what was written last has left. */
  #written: Promise<unknown> = Promise.resolve();
  #isRetired = false;

  /** @param bound in bytes */
  constructor(
    private readonly socket: WebSocket,
    private readonly bound: number,
  ) {
    socket.on('pong', () => (this.isAlive = true));
  }

  /** Sends a text without waiting. A client that has not read enough of what came before is cut off. */
  push(text: string): void {
    const { socket } = this;
    if (socket.readyState !== socket.OPEN) return;
    // An answer that it has asked for, and that somebody waits for, may be as long as it is.
    if (socket.bufferedAmount - this.#awaitedBytes <= this.bound) socket.send(text);
    else this.close(CloseCode.tooSlow, 'Too slow: go on with after');
  }

  /** Sends a text that something waits for; settles when it has left the process, with false when it cannot. */
  write(text: string): Promise<boolean> {
    const { socket } = this;
    if (socket.readyState !== socket.OPEN) return Promise.resolve(false);
    const bytes = Buffer.byteLength(text);
    this.#awaitedBytes += bytes;
    const written = new Promise<boolean>((resolve) => {
      socket.send(text, (error) => {
        this.#awaitedBytes -= bytes;
        resolve(!error);
      });
    });
    this.#written = written;
    return written;
  }

  /** @param reason left out when it is longer than a close frame can hold */
  close(code: number, reason: string): void {
    this.socket.close(code, Buffer.byteLength(reason) <= MAX_REASON_BYTES ? reason : '');
  }

  /** Asks whether it is still there; one that has not been heard of since the last time is not. */
  checkAlive(): void {
    if (!this.isAlive) this.socket.terminate();
    else if (this.socket.readyState === this.socket.OPEN) {
      this.isAlive = false;
      this.socket.ping();
    }
  }

  /** Runs a query or mutation: a socket that is retired does not close before it is answered, and complete. */
  async run<T>(job: () => T | Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await job();
    } finally {
      void this.#finish();
    }
  }

  /**
   * An answer is written before the next round of the event loop, and that it is complete in the round after it has
   * left: whoever missed that would take a mutation for one that was not run, and send it again.
   */
  async #finish(): Promise<void> {
    await nextRound();
    await this.#written;
    await nextRound();
    this.#running--;
    this.#closeIfRetired();
  }

  get isBusy(): boolean {
    return Object.keys(this.operations).length > 0;
  }

  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Closes it as soon as nothing runs but subscriptions. */
  retire(): void {
    this.#isRetired = true;
    this.#closeIfRetired();
  }

  #closeIfRetired(): void {
    if (this.#isRetired && this.#running === 0) this.close(CloseCode.restart, 'Restarting: connect again');
  }

  terminate(): void {
    this.socket.terminate();
  }
}
