/** Scales tests: `npm test` runs a part of `npm run test:long` and `npm run fuzz`. */
import { inject } from 'vitest';
import { databaseKind } from './database/database-kind.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether tests run in full. */
    isThorough: boolean;
  }
}

export const isThorough = inject('isThorough');

/**
 * The number of runs of a property: a quarter on other databases than a SQLite file; a tenth in `npm test`.
 * @param count on a SQLite file in the full suite
 */
export function runs(count: number): number {
  return Math.ceil(count / (databaseKind === 'sqlite' ? 1 : 4) / (isThorough ? 1 : 10));
}

/** The whole list in the full suite, otherwise an evenly spread part of it. */
export function sampled<T>(list: readonly T[]): readonly T[] {
  const SAMPLES = 6;
  return isThorough ? list : list.filter((_, n) => n % Math.ceil(list.length / SAMPLES) === 0);
}
