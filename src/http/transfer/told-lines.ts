/** An answer of JSON Lines that is never silent for long. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** After how long without a line it is told how far it has come, in milliseconds: nothing on the way takes it for dead. */
const SILENCE_MS = 5_000;
const LINE_FEED = 10;

/** Begins with its first line: until then it can be refused. What is told to a client that has gone is told to nobody. */
export class ToldLines {
  readonly #timer: NodeJS.Timeout;
  #isAtLineEnd = true;

  /** @param meanwhile what to tell when there was nothing to tell for `silenceMs` */
  constructor(
    private readonly response: ServerResponse,
    meanwhile: () => object,
    silenceMs = SILENCE_MS,
  ) {
    this.#timer = setInterval(() => {
      if (this.#isAtLineEnd) this.say(meanwhile());
    }, silenceMs);
  }

  /** Writes a line. One that was forwarded in part, because its writer died, is ended first. */
  say(line: object): void {
    this.#write(`${this.#isAtLineEnd ? '' : '\n'}${JSON.stringify(line)}\n`);
    this.#isAtLineEnd = true;
  }

  /** Writes lines, cut anywhere. */
  forward(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#write(bytes);
    this.#isAtLineEnd = bytes.at(-1) === LINE_FEED;
  }

  /** Settles when the client has read enough for more, or has left. */
  async drained(): Promise<void> {
    const { response } = this;
    if (!response.writableNeedDrain || response.destroyed) return;
    const over = new AbortController();
    const { signal } = over;
    const either = [once(response, 'drain', { signal }), once(response, 'close', { signal })];
    await Promise.race(either).finally(() => over.abort());
  }

  /** @param isWhole whether the answer ends here: one that fails is to be refused, or breaks off */
  stop(isWhole: boolean): void {
    clearInterval(this.#timer);
    if (isWhole) this.response.end();
  }

  #write(text: string | Uint8Array): void {
    this.#timer.refresh();
    if (this.response.destroyed) return;
    if (!this.response.headersSent) {
      this.response.writeHead(200, { 'content-type': 'application/jsonl', 'cache-control': 'no-store' });
    }
    this.response.write(text);
  }
}
