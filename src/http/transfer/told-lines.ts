/** An answer of JSON Lines that is never silent for long. */
import type { ServerResponse } from 'node:http';

/** After how long without a line it is told how far it has come, in milliseconds: nothing on the way takes it for dead. */
const SILENCE_MS = 5_000;

/** Begins with its first line: until then it can be refused. What is told to a client that has gone is told to nobody. */
export class ToldLines {
  readonly #timer: NodeJS.Timeout;

  /** @param meanwhile what to tell when there was nothing to tell for `silenceMs` */
  constructor(
    private readonly response: ServerResponse,
    meanwhile: () => object,
    silenceMs = SILENCE_MS,
  ) {
    this.#timer = setInterval(() => this.say(meanwhile()), silenceMs);
  }

  say(line: object): void {
    this.#timer.refresh();
    if (this.response.destroyed) return;
    if (!this.response.headersSent) {
      this.response.writeHead(200, { 'content-type': 'application/jsonl', 'cache-control': 'no-store' });
    }
    this.response.write(`${JSON.stringify(line)}\n`);
  }

  /** @param isWhole whether the answer ends here: one that fails is to be refused, or breaks off */
  stop(isWhole: boolean): void {
    clearInterval(this.#timer);
    if (isWhole) this.response.end();
  }
}
