/** The width of the thread in percent, which the browser remembers. */
import { readStored, writeStored } from '../stored.js';

export const SHARE = { min: 25, max: 75, initial: 55 } as const;

const KEY = 'parley-split';

export const within = (share: number): number => Math.min(SHARE.max, Math.max(SHARE.min, share));

export function storedShare(): number {
  const stored = readStored(KEY);
  return typeof stored === 'number' ? within(stored) : SHARE.initial;
}

export const storeShare = (share: number): void => writeStored(KEY, Number(share.toFixed(1)));
