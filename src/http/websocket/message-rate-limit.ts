import type { WebSocket } from 'ws';

/** Messages besides operations that a client may send within PERIOD_MS milliseconds. */
const MAX_MESSAGES_PER_PERIOD = 200;
const PERIOD_MS = 10_000;

/**
 * Counts a client's messages besides operations: pings, pongs, ends of ended operations. Rate limits count only
 * operations, but each message takes a turn of the event loop.
 */
export class MessageRateLimit {
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
