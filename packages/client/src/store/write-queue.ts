/** The writes of a store: one after the other, in the order in which they were asked for. */
import { asParleyError, ClosedError, UnreachableError } from '../connection/errors.js';
import { pause, type RetryDelay } from '../connection/pause.js';
import type { Outcome } from './outcome.js';

export interface Write<Value> {
  run(signal: AbortSignal): Promise<Value>;
  /** Whether the same can be asked again when an answer was lost. */
  isRepeatable: boolean;
  /** It waits for a server that is away. */
  waiting?(): void;
}

export class WriteQueue {
  readonly #closing = new AbortController();
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly retryDelay: RetryDelay) {}

  add<Value>(write: Write<Value>): Promise<Outcome<Value>> {
    const outcome = this.#last.then(() => this.#run(write));
    this.#last = outcome;
    return outcome;
  }

  close(): void {
    this.#closing.abort(new ClosedError());
  }

  async #run<Value>(write: Write<Value>): Promise<Outcome<Value>> {
    const { signal } = this.#closing;
    for (let tries = 0; !signal.aborted; tries++) {
      try {
        return { ok: true, value: await write.run(signal) };
      } catch (reason) {
        const isLost = reason instanceof UnreachableError && write.isRepeatable;
        if (!isLost) return { ok: false, error: asParleyError(reason) };
        write.waiting?.();
        await pause(this.retryDelay(tries), signal);
      }
    }
    return { ok: false, error: new ClosedError() };
  }
}
