/** How much a test does: in `npm test` a part of what it does in `npm run test:long` and `npm run fuzz`. */
import { inject } from 'vitest';
import { databaseKind } from './database/database-kind.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether there is time for everything. */
    isThorough: boolean;
  }
}

export const isThorough = inject('isThorough');

/**
 * How often a property is tried: less often on a server, where every statement crosses a socket, and on the database in
 * memory, whose statements are those of the file.
 * @param count on a SQLite file, where there is time
 */
export function runs(count: number): number {
  return Math.ceil(count / (databaseKind === 'sqlite' ? 1 : 4) / (isThorough ? 1 : 4));
}

/** All of a list, or where there is no time some of it, spread evenly. */
export function sampled<T>(list: readonly T[]): readonly T[] {
  const SAMPLES = 12;
  return isThorough ? list : list.filter((_, n) => n % Math.ceil(list.length / SAMPLES) === 0);
}
