/** Scales tests: `npm test` runs a part of `npm run test:long`, which runs half of `npm run test:all` and `npm run fuzz`. */
import { inject } from 'vitest';
import { databaseKind } from './database/database-kind.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether tests run in full. */
    isThorough: boolean;
  }
}

export const isThorough = inject('isThorough');

const share = isThorough ? (process.env['TEST_ALL'] === 'true' ? 1 : 1 / 2) : 1 / 10;

/**
 * The number of runs of a property: a quarter on other databases than a SQLite file.
 * @param count on a SQLite file in `npm run test:all`
 */
export function runs(count: number): number {
  return Math.ceil((count / (databaseKind === 'sqlite' ? 1 : 4)) * share);
}

/** An evenly spread part of a list, which varies with the seed. */
export function sampled<T>(list: readonly T[]): readonly T[] {
  const samples = isThorough ? (databaseKind === 'sqlite' ? 200 : 60) * share : 6;
  const step = Math.ceil(list.length / samples);
  return list.filter((_, n) => (n + inject('seed')) % step === 0);
}
