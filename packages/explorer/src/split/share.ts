/** The width of the thread in percent, which the browser remembers. */

export const SHARE = { min: 25, max: 75, initial: 55 } as const;

const KEY = 'parley-split';

export const within = (share: number): number => Math.min(SHARE.max, Math.max(SHARE.min, share));

export function storedShare(): number {
  try {
    const stored = Number(localStorage.getItem(KEY) ?? NaN);
    return Number.isFinite(stored) ? within(stored) : SHARE.initial;
  } catch {
    // The browser may forbid storage.
    return SHARE.initial;
  }
}

export function storeShare(share: number): void {
  try {
    localStorage.setItem(KEY, share.toFixed(1));
  } catch {
    // The width lasts until the page is closed.
  }
}
