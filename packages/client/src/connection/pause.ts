/** Waiting before the next try: it ends early when the network is back, or when nobody waits any more. */

/** How long to wait before try `n`, counted from 0, in milliseconds. */
export type RetryDelay = (n: number) => number;

/** Twice as long each time, up to half a minute or so, and not all clients at once. */
export const growing: RetryDelay = (n) => Math.min(2 ** n * 250, 30_000) * (0.5 + Math.random());

/** The browser's own events, where there are any. */
const page = globalThis as Partial<Pick<EventTarget, 'addEventListener' | 'removeEventListener'>>;

/** Settles after the time, or when `online` comes, or with `signal`; it never rejects. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      page.removeEventListener?.('online', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal.aborted) return end();
    signal.addEventListener('abort', end);
    page.addEventListener?.('online', end);
  });
}
