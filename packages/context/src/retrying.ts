/** Repeats calls of a store that is unavailable. */
import { retry } from '@parley/transport/retry';
import { ContextError } from './errors.js';

/** How long a store may be unavailable before its error is thrown, in milliseconds. */
export const PATIENCE_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Runs a call that can be repeated until the store answers.
 * @throws ContextError when the store refuses the call, or is unavailable for a minute
 */
export function retrying<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  let since: number | undefined;
  const isTransient = (error: unknown) =>
    error instanceof ContextError && error.code === 'UNAVAILABLE' && Date.now() - (since ??= Date.now()) <= PATIENCE_MS;
  return retry(work, (tries) => Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS), signal, isTransient);
}
