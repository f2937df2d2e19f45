/** Doing again what had no answer. */
import { ContextError } from './errors.js';

/** How long a store may be away before it is given up, in milliseconds. */
export const PATIENCE_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** Attempts on something that may be away for a while. */
export class Attempts {
  #pauseMs = FIRST_PAUSE_MS;
  #since: number | null = null;

  constructor(private readonly signal?: AbortSignal) {}

  /** It has answered. */
  succeeded(): void {
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#since = null;
  }

  /**
   * Waits before the next attempt.
   * @throws the error, when there is no sense in another one
   */
  async failed(error: unknown): Promise<void> {
    if (!(error instanceof ContextError) || error.code !== 'UNAVAILABLE') throw error;
    this.#since ??= Date.now();
    if (Date.now() - this.#since > PATIENCE_MS || this.signal?.aborted === true) throw error;
    await pause(this.#pauseMs, this.signal);
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
  }
}

/** Runs something that may be run again until it has an answer. */
export async function retrying<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const attempts = new Attempts(signal);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      await attempts.failed(error);
    }
  }
}

/** Waits, or until a signal. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}
