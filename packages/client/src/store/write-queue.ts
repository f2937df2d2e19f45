/** Runs writes one after the other, in the order of their requests. */
import { isUnreachable } from '@parley/transport/errors';
import type { RetryDelay } from '@parley/transport/pause';
import { retry } from '@parley/transport/retry';
import { outcomeOf, type Outcome } from '../outcome.js';

export class WriteQueue {
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly retryDelay: RetryDelay,
    private readonly signal = new AbortController().signal,
  ) {}

  /**
   * @param isRepeatable whether the write is retried after its response was lost
   * @param waiting called when the write waits for an unreachable server
   */
  add<Value>(
    run: (signal: AbortSignal) => Promise<Value>,
    isRepeatable = true,
    waiting = () => {},
  ): Promise<Outcome<Value>> {
    const { retryDelay, signal } = this;
    const isTransient = (reason: unknown) => {
      const isLost = isRepeatable && isUnreachable(reason);
      if (isLost) waiting();
      return isLost;
    };
    const repeated = async () => {
      signal.throwIfAborted();
      return run(signal);
    };
    const outcome = this.#last.then(() => outcomeOf(() => retry(repeated, retryDelay, signal, isTransient)));
    this.#last = outcome;
    return outcome;
  }
}
