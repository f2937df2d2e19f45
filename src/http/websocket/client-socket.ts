import { setImmediate as nextRound } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { Holding } from '../../limits/memory.js';
import { FairLimiter } from '../../scheduler/fair-limiter.js';
import { Chatter } from './chatter.js';
import { CloseCode } from './close-codes.js';

/** Of a close frame, which has 125 with the code. */
const MAX_REASON_BYTES = 123;

/** Answers of the past that one socket may have unread: up to 100 subscriptions on it make them. */
const CATCH_UPS_AT_ONCE = 4;

/** After so many checks without a word from it, a client is taken for gone. */
const MAX_SILENCE = 5;

/** A client's socket: what runs on it, what it has not read yet, and whether it is still there. */
export class ClientSocket {
  /** What the operations that run on it hold, by their ids, until the last word on them has been sent. */
  readonly #operations = new Map<string, Holding | undefined>();
  /** What the message that is being looked at holds. */
  #arrived: Holding | undefined;
  /** Answers of the past of its subscriptions: a few at a time are made and sent. */
  readonly catchUps = new FairLimiter({ concurrency: CATCH_UPS_AT_ONCE });
  /** When something last ran on it, in milliseconds since 1970. */
  lastUsed = Date.now();
  #silence = 0;
  readonly #chatter: Chatter;
  /** Queries and mutations that run. */
  #running = 0;
  /** Of what was written and has not left yet. */
  #awaitedBytes = 0;
  /** Settles when what was written last has left. */
  #written: Promise<unknown> = Promise.resolve();
  #retirement: { code: number; reason: string } | null = null;

  /** @param bound in bytes */
  constructor(
    private readonly socket: WebSocket,
    private readonly bound: number,
  ) {
    for (const event of ['message', 'pong']) socket.on(event, () => (this.#silence = 0));
    const tooMany = () => this.close(CloseCode.chatter, 'Too many messages that are no operations');
    this.#chatter = new Chatter(socket, tooMany);
  }

  /** How many operations run on it. */
  get operations(): number {
    return this.#operations.size;
  }

  has(id: string): boolean {
    return this.#operations.has(id);
  }

  /**
   * Looks at a message, which may begin an operation.
   * @param variables what it holds: until the end of the operation, or of the looking
   */
  async take(variables: Holding, look: () => Promise<void>): Promise<void> {
    this.#arrived = variables;
    // The library begins an operation before it waits for anything.
    const looked = look();
    if (this.#takeArrived() !== undefined) await looked.finally(() => variables.giveBack());
    else await looked;
  }

  /** An operation begins; what its message holds is its own. @returns how many bytes that is */
  begin(id: string): number {
    this.#chatter.excuse();
    const variables = this.#takeArrived();
    this.#operations.set(id, variables);
    return variables?.bytes ?? 0;
  }

  #takeArrived(): Holding | undefined {
    const arrived = this.#arrived;
    this.#arrived = undefined;
    return arrived;
  }

  end(id: string): void {
    this.#operations.get(id)?.giveBack();
    this.#operations.delete(id);
  }

  /** Sends a text without waiting. A client that has not read enough of what came before is cut off. */
  push(text: string): void {
    const { socket } = this;
    if (socket.readyState !== socket.OPEN) return;
    // An answer that somebody waits for may be as long as it is.
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

  /**
   * Asks whether the client is still there; one from which nothing was heard for long is not. One that has something to
   * read is not asked: the question would wait behind it. Whether that gets anywhere, the connection itself knows.
   */
  checkAlive(): void {
    const { socket } = this;
    if (socket.readyState !== socket.OPEN || socket.bufferedAmount > 0) return;
    if (this.#silence === MAX_SILENCE) return socket.terminate();
    this.#silence++;
    socket.ping();
  }

  /**
   * Runs a query or mutation, and writes its answer. One whose client has not read what it has asked for before waits.
   * A socket that is retired does not close before its answer is complete: whoever missed that would take a mutation for
   * one that was not run, and send it again.
   */
  async run(answer: () => Promise<string | null>): Promise<void> {
    this.#running++;
    try {
      while (this.#awaitedBytes > this.bound) await this.#written;
      // It has closed meanwhile, because its token has expired, say: nothing has begun yet, and nothing does.
      if (this.socket.readyState !== this.socket.OPEN) return;
      const text = await answer();
      if (text !== null) await this.write(text);
    } finally {
      // That it is complete is said before the next round of the event loop.
      void nextRound().then(() => {
        this.#running--;
        this.#closeIfRetired();
      });
    }
  }

  get isRetired(): boolean {
    return this.#retirement !== null;
  }

  /** Closes it as soon as nothing runs but subscriptions, and takes no more operations. */
  retire(code: number, reason: string): void {
    this.#retirement ??= { code, reason };
    this.#closeIfRetired();
  }

  #closeIfRetired(): void {
    if (this.#retirement !== null && this.#running === 0) {
      this.close(this.#retirement.code, this.#retirement.reason);
    }
  }

  /** Has something done when it has closed, however it did. @returns what takes that back */
  onClose(callback: () => void): () => void {
    const { socket } = this;
    if (socket.readyState === socket.CLOSED) callback();
    else socket.once('close', callback);
    return () => socket.off('close', callback);
  }

  terminate(): void {
    this.socket.terminate();
  }
}
