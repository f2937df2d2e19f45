/** Waits before the next try. */

/** Returns the delay before try `n`, counted from 0, in milliseconds. */
export type RetryDelay = (n: number) => number;

/** Doubles from 250 ms up to 30 s, with a random factor, so that clients do not retry at the same time. */
export const growing: RetryDelay = (n) => Math.min(2 ** n * 250, 30_000) * (0.5 + Math.random());

/** Milliseconds between two looks: see lookTwice. */
const SECOND_LOOK_MS = 2_000;

/** The events of browsers, where available. */
const page = globalThis as Partial<Pick<EventTarget, 'addEventListener' | 'removeEventListener'>>;

/** Settles after the time, when the network is back (`online`), or when the signal is aborted; it never rejects. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      page.removeEventListener?.('online', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal?.aborted === true) return end();
    signal?.addEventListener('abort', end);
    page.addEventListener?.('online', end);
  });
}

/**
 * Looks now and after two seconds: a subscription may start after the first look, without a notification, and misses what
 * happens in between.
 */
export async function lookTwice(signal: AbortSignal, look: (isAgain: boolean) => Promise<unknown>): Promise<void> {
  await look(false);
  await pause(SECOND_LOOK_MS, signal);
  if (!signal.aborted) await look(true);
}
