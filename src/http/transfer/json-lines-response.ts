/** A response of JSON Lines with progress lines during silence. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { refused } from '../requests/transfer-request.js';

/** Proxies end a response that is silent for longer. */
const SILENCE_MS = 5_000;
const MAX_UNREAD_MS = 60_000;
const LINE_FEED = 10;

export interface Silence {
  /** Milliseconds without a line after which a progress line is written. @default 5000 */
  ms?: number;
  /** The same before the first line, which fixes the status 200. @default ms */
  firstMs?: number;
}

/** Begins with its first line: before it, the request can be refused. Lines to a disconnected client are dropped. */
export class JsonLinesResponse {
  readonly #silenceMs: number;
  #timer: NodeJS.Timeout;
  #isAtLineEnd = true;

  /** @param progress the line to write after a silence */
  constructor(
    private readonly response: ServerResponse,
    private readonly progress: () => object,
    { ms = SILENCE_MS, firstMs = ms }: Silence = {},
  ) {
    this.#silenceMs = ms;
    this.#timer = setInterval(() => this.#endSilence(), firstMs);
  }

  /** Writes a line. First ends a line that was forwarded in part, because its writer died. */
  writeLine(line: object): void {
    this.#write(`${this.#isAtLineEnd ? '' : '\n'}${JSON.stringify(line)}\n`);
    this.#isAtLineEnd = true;
  }

  /** Writes lines, cut anywhere. */
  forward(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#write(bytes);
    this.#isAtLineEnd = bytes.at(-1) === LINE_FEED;
  }

  /**
   * Settles when the client read enough for more, or disconnected.
   * @param signal ends the wait
   * @throws GraphQLError when the client does not read for MAX_UNREAD_MS, or the reason of the signal
   */
  async drained(signal?: AbortSignal): Promise<void> {
    const { response } = this;
    if (!response.writableNeedDrain || response.destroyed) return;
    signal?.throwIfAborted();
    const over = new AbortController();
    const either = ['drain', 'close'].map((event) => once(response, event, { signal: over.signal }));
    const unread = pause(MAX_UNREAD_MS, undefined, { signal: over.signal }).then(() => {
      throw refused(`The client did not read the response within ${MAX_UNREAD_MS} ms`, 'REQUEST_TIMEOUT', 408);
    });
    const aborted = signal && once(signal, 'abort', { signal: over.signal }).then(() => signal.throwIfAborted());
    await Promise.race([...either, unread, ...(aborted ? [aborted] : [])]).finally(() => over.abort());
  }

  /** @param isWhole whether the answer ends here; false when it failed and is refused or broken off */
  stop(isWhole: boolean): void {
    clearInterval(this.#timer);
    if (isWhole) this.response.end();
  }

  #endSilence(): void {
    if (this.#isAtLineEnd) this.writeLine(this.progress());
  }

  #write(text: string | Uint8Array): void {
    this.#timer.refresh();
    if (this.response.destroyed) return;
    if (!this.response.headersSent) {
      clearInterval(this.#timer);
      this.#timer = setInterval(() => this.#endSilence(), this.#silenceMs);
      this.response.writeHead(200, { 'content-type': 'application/jsonl', 'cache-control': 'no-store' });
    }
    this.response.write(text);
  }
}
