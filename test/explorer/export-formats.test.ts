/** The explorer's formats of exports, and the writers of the server. */
import { WRITERS } from '@parley/interchange/server';
import { expect, it } from 'vitest';
import { FORMATS } from '../../packages/explorer/src/transfer/export-formats.js';

it('the explorer offers each format of the server, and joins only files of lines', () => {
  const offered = FORMATS.map(({ name, isLines = false }) => ({ name, isLines }));
  const written = WRITERS.map(({ name, extension }) => ({ name, isLines: extension === 'jsonl' }));
  const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
  expect(offered.toSorted(byName)).toEqual(written.toSorted(byName));
});

it('the explorer offers paths for each format without the whole graph', () => {
  const withPaths = FORMATS.filter(({ hasPaths }) => hasPaths).map(({ name }) => name);
  const ofPaths = WRITERS.filter(({ losses }) => losses.some((loss) => /\bpaths\b/.test(loss))).map(({ name }) => name);
  expect(withPaths.toSorted()).toEqual(ofPaths.toSorted());
});
