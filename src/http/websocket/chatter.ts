import type { WebSocket } from 'ws';

/** How many messages beside operations a client may send in so many milliseconds: one a second is a lot. */
const MOST = 200;
const PERIOD_MS = 10_000;

/**
 * What a client sends beside operations: pings, answers to ours, ends of what has ended. Rates count operations, and each of
 * these takes a turn of the event loop, too.
 */
export class Chatter {
  #count = 0;
  #until = 0;

  /** @param close called when there are too many; who goes on all the same is cut off */
  constructor(webSocket: WebSocket, close: () => void) {
    const add = () => {
      const now = Date.now();
      if (now > this.#until) {
        this.#count = 0;
        this.#until = now + PERIOD_MS;
      }
      this.#count++;
      if (this.#count === MOST + 1) close();
      if (this.#count > 2 * MOST) webSocket.terminate();
    };
    for (const event of ['message', 'ping', 'pong']) webSocket.on(event, add);
  }

  /** The last message was an operation: neither it nor its end counts. */
  excuse(): void {
    this.#count -= 2;
  }
}
