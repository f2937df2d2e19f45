/** The writes of a store: one after the other, in the order in which they were asked for. */
import { asParleyError, ClosedError, isUnreachable } from '@parley/transport/errors';
import type { RetryDelay } from '@parley/transport/pause';
import { retry } from '@parley/transport/retry';
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
    const isTransient = (reason: unknown) => {
      const isLost = write.isRepeatable && isUnreachable(reason);
      if (isLost) write.waiting?.();
      return isLost;
    };
    try {
      const run = async () => {
        signal.throwIfAborted();
        return write.run(signal);
      };
      return { ok: true, value: await retry(run, this.retryDelay, signal, isTransient) };
    } catch (reason) {
      return { ok: false, error: asParleyError(reason) };
    }
  }
}
