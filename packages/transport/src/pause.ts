/** Waits before the next try. */

/** Returns the delay before try `n`, counted from 0, in milliseconds. */
export type RetryDelay = (n: number) => number;

/** Doubles from 250 ms up to 30 s, with a random factor, so that clients do not retry at the same time. */
export const growing: RetryDelay = (n) => Math.min(2 ** n * 250, 30_000) * (0.5 + Math.random());

/** Milliseconds between two looks: see lookTwice. */
const SECOND_LOOK_MS = 2_000;

/** The events of browsers, where available. */
const page = globalThis as Partial<Pick<Window, 'addEventListener' | 'document'>>;

/** The functions that end the running pauses. */
const ends = new Set<() => void>();

/** Ends all running pauses: the next tries start now. */
export const endPauses = (): void => {
  for (const end of [...ends]) end();
};

page.addEventListener?.('online', endPauses);
page.document?.addEventListener('visibilitychange', () => {
  if (page.document?.hidden === false) endPauses();
});

/**
 * Settles after the time, when the network (`online`) or the tab (`visibilitychange`) is back, or when the signal is aborted; it never
 * rejects.
 * @param group by default the pauses that `endPauses` ends
 */
export function pause(ms: number, signal?: AbortSignal, group = ends): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      group.delete(end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal?.aborted === true) return end();
    signal?.addEventListener('abort', end);
    group.add(end);
  });
}

/**
 * Looks now and after two seconds: a subscription may start after the first look, without a notification, and misses what
 * happens in between. `endPauses` does not shorten the two seconds.
 */
export async function lookTwice(signal: AbortSignal, look: (isAgain: boolean) => Promise<unknown>): Promise<void> {
  await look(false);
  await pause(SECOND_LOOK_MS, signal, new Set());
  if (!signal.aborted) await look(true);
}
