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

/** An evenly spread part of a list, which varies with the seed. */
export function sampled<T>(list: readonly T[]): readonly T[] {
  const samples = isThorough ? (databaseKind === 'sqlite' ? 200 : 60) : 6;
  const step = Math.ceil(list.length / samples);
  return list.filter((_, n) => (n + inject('seed')) % step === 0);
}
