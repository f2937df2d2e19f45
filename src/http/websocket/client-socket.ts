import { setImmediate as nextRound } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { Holding } from '../../limits/memory.js';
import { bytesOf, type JsonPiece } from '../answers/answer.js';
import { FairLimiter } from '../../scheduler/fair-limiter.js';
import { CloseCode } from './close-codes.js';

/** A close frame has 125 bytes, two of them for the code. */
const MAX_REASON_BYTES = 123;

/** Unread answers from the past on one socket: up to 100 subscriptions produce them. */
const CATCH_UPS_AT_ONCE = 4;

/** Number of unanswered checks after which a client counts as disconnected. */
const MAX_SILENCE = 5;

/** A client's socket: its running operations, its unread bytes and its liveness. */
export class ClientSocket {
  /** Memory held for running operations by id, until their last message was sent. */
  readonly #operations = new Map<string, Holding | undefined>();
  /** Memory held for the message being read. */
  #arrived: Holding | undefined;
  /** A few answers from the past of its subscriptions are produced and sent at a time. */
  readonly catchUps = new FairLimiter({ concurrency: CATCH_UPS_AT_ONCE });
  /** When an operation last ran on it, in milliseconds since 1970. */
  lastUsed = Date.now();
  #silence = 0;
  readonly #messageRate: MessageRateLimit;
  #running = 0;
  /** Written bytes that were not yet sent and whose writers wait. */
  #awaitedBytes = 0;
  /** Settles when the last write was sent. */
  #written: Promise<unknown> = Promise.resolve();
  #retirement: { code: number; reason: string } | null = null;

  /** @param bound in bytes */
  constructor(
    private readonly socket: WebSocket,
    private readonly bound: number,
  ) {
    for (const event of ['message', 'pong']) socket.on(event, () => (this.#silence = 0));
    const tooMany = () => this.close(CloseCode.tooManyMessages, 'Too many messages without an operation');
    this.#messageRate = new MessageRateLimit(socket, tooMany);
  }

  get operations(): number {
    return this.#operations.size;
  }

  has(id: string): boolean {
    return this.#operations.has(id);
  }

  /**
   * Reads a message, which may begin an operation.
   * @param variables memory held until the operation ends, or the reading
   */
  async take(variables: Holding, read: () => Promise<void>): Promise<void> {
    this.#arrived = variables;
    // graphql-ws begins an operation synchronously.
    const reading = read();
    if (this.#takeArrived() !== undefined) await reading.finally(() => variables.release());
    else await reading;
  }

  /**
   * Begins an operation, which takes over the memory held for its message.
   * @returns its bytes
   */
  begin(id: string): number {
    this.#messageRate.excuse();
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
    this.#operations.get(id)?.release();
    this.#operations.delete(id);
  }

  /** Sends a message without waiting. Disconnects a client with too many unread bytes. */
  push(message: readonly JsonPiece[]): void {
    const { socket } = this;
    if (socket.readyState !== socket.OPEN) return;
    // An answer whose writer waits may have any length.
    if (socket.bufferedAmount - this.#awaitedBytes <= this.bound) this.#send(message);
    else this.close(CloseCode.tooSlow, 'Too slow: continue with after');
  }

  /** Sends a message and settles when it left the process; false when the socket closed. */
  write(message: readonly JsonPiece[]): Promise<boolean> {
    const { socket } = this;
    if (socket.readyState !== socket.OPEN) return Promise.resolve(false);
    const bytes = bytesOf(message);
    this.#awaitedBytes += bytes;
    const written = new Promise<boolean>((resolve) => {
      this.#send(message, (error) => {
        this.#awaitedBytes -= bytes;
        resolve(!error);
      });
    });
    this.#written = written;
    return written;
  }

  /** A message in pieces has a frame for each, which needs no copy. */
  #send(message: readonly JsonPiece[], onSent?: (error?: Error | null) => void): void {
    for (const [n, piece] of message.entries()) {
      const isLast = n === message.length - 1;
      this.socket.send(piece, { binary: false, fin: isLast }, isLast ? onSent : undefined);
    }
  }

  /** @param reason left out when it is longer than a close frame allows */
  close(code: number, reason: string): void {
    this.socket.close(code, Buffer.byteLength(reason) <= MAX_REASON_BYTES ? reason : '');
  }

  /**
   * Pings the client; without any message for too long, disconnects it. A client with unread bytes is not pinged: the
   * ping would queue after them, and the connection's own timeout applies.
   */
  checkAlive(): void {
    const { socket } = this;
    if (socket.readyState !== socket.OPEN || socket.bufferedAmount > 0) return;
    if (this.#silence === MAX_SILENCE) return socket.terminate();
    this.#silence++;
    socket.ping();
  }

  /**
   * Runs a query or mutation and writes its answer. Waits while the client has not read earlier answers. A retired
   * socket stays open until its answers are complete: a client that misses the answer to a mutation would repeat it.
   */
  async run(answer: () => Promise<readonly JsonPiece[] | null>): Promise<void> {
    this.#running++;
    try {
      while (this.#awaitedBytes > this.bound) await this.#written;
      // The socket closed while waiting, for example because its token expired: do not begin.
      if (this.socket.readyState !== this.socket.OPEN) return;
      const message = await answer();
      if (message !== null) await this.write(message);
    } finally {
      // graphql-ws sends `complete` before the next round of the event loop.
      void nextRound().then(() => {
        this.#running--;
        this.#closeIfRetired();
      });
    }
  }

  get isRetired(): boolean {
    return this.#retirement !== null;
  }

  /** Accepts no more operations, and closes when only subscriptions run. */
  retire(code: number, reason: string): void {
    this.#retirement ??= { code, reason };
    this.#closeIfRetired();
  }

  #closeIfRetired(): void {
    if (this.#retirement !== null && this.#running === 0) {
      this.close(this.#retirement.code, this.#retirement.reason);
    }
  }

  /**
   * Calls back when the socket has closed, for any reason.
   * @returns a function that removes the callback
   */
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

/** Messages besides operations that a client may send within PERIOD_MS milliseconds. */
const MAX_MESSAGES_PER_PERIOD = 200;
const PERIOD_MS = 10_000;

/**
 * Counts a client's messages besides operations: pings, pongs, ends of ended operations. Rate limits count only
 * operations, but each message takes a turn of the event loop.
 */
class MessageRateLimit {
  #count = 0;
  #until = 0;

  /** @param close called at the limit; a client that continues is disconnected */
  constructor(webSocket: WebSocket, close: () => void) {
    const add = () => {
      const now = Date.now();
      if (now > this.#until) {
        this.#count = 0;
        this.#until = now + PERIOD_MS;
      }
      this.#count++;
      if (this.#count === MAX_MESSAGES_PER_PERIOD + 1) close();
      if (this.#count > 2 * MAX_MESSAGES_PER_PERIOD) webSocket.terminate();
    };
    for (const event of ['message', 'ping', 'pong']) webSocket.on(event, add);
  }

  /** The last message was an operation: neither it nor its end counts. */
  excuse(): void {
    this.#count -= 2;
  }
}
