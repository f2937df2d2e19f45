/** Vitest's set-up file of the covering run: writes how often each test file ran each block, and its duration. */
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';

/** By version of the source and by number of the block. */
export type Counts = Record<string, Record<number, number>>;

const started = performance.now();
const hits: Counts = {};

function count(version: string, block: number): void {
  const counts = (hits[version] ??= {});
  counts[block] = (counts[block] ?? 0) + 1;
}

// Only the first of several test files loads a module: blocks that run meanwhile are not counted.
beforeAll(() => Object.assign(globalThis, { parleyHit: count }));
afterAll(() => {
  Object.assign(globalThis, { parleyHit: undefined });
  const path = relative('.', expect.getState().testPath ?? '');
  const covered = { ms: Math.round(performance.now() - started), hits };
  appendFileSync(process.env['MUTATION_HITS']!, `${JSON.stringify([path, covered])}\n`);
});
