/** The blocks that each test file runs. They are kept in node_modules, because the covering run takes minutes. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, parse } from 'node:path';
import { globSync } from 'tinyglobby';
import type { Counts } from './hits.js';
import type { Mutant } from './mutants.js';
import { runVitest } from './run-vitest.js';

/** A test file with this text passed, and ran these blocks. */
interface Covered {
  hash: string;
  ms: number;
  hits: Counts;
}
export type Coverage = Record<string, Covered>;

const KEPT = 'node_modules/.cache/parley-mutation/coverage.json';
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** Identifies the blocks of a source: their numbers change with it. */
export const versionOf = (file: string, source: string): string => `${file}@${hashOf(source)}`;

/** Runs the test files that have changed since the last covering run. */
export async function updateCoverage(isFresh: boolean): Promise<Coverage> {
  const kept = isFresh || !existsSync(KEPT) ? {} : (JSON.parse(readFileSync(KEPT, 'utf8')) as Coverage);
  const paths = globSync('{test,packages/*/test}/**/*.test.ts', { ignore: ['**/*.long.test.ts', 'test/conformance'] });
  const hashes = new Map(paths.map((path) => [path, hashOf(readFileSync(path, 'utf8'))]));
  const changed = paths.filter((path) => kept[path]?.hash !== hashes.get(path));
  if (changed.length > 0) {
    console.error(`Running ${changed.length} test files to count the blocks that they run…`);
    const { failed, hits } = await runVitest(changed, null);
    for (const path of failed) console.error(`Not used, because it fails without a mutant: ${path}`);
    for (const path of changed) kept[path] = { hash: hashes.get(path)!, ms: 0, hits: {}, ...hits.get(path) };
    for (const path of failed) delete kept[path];
    mkdirSync(dirname(KEPT), { recursive: true });
    writeFileSync(KEPT, JSON.stringify(kept));
  }
  return Object.fromEntries(Object.entries(kept).filter(([path]) => hashes.has(path)));
}

/**
 * The test files that run the block of a mutant, or, if there are none, those that import or run its file: modules run blocks
 * while they load, but for several test files only once. Those that import the file are first, then those that run it often in a
 * short time.
 */
export function testsOf(coverage: Coverage, { file, block }: Mutant): { tests: string[]; isExact: boolean } {
  const version = versionOf(file, readFileSync(file, 'utf8'));
  const name = `/${parse(file).name}.js'`;
  // The contract is the schema, which modules build while they load.
  const isImporting = (path: string) => path.startsWith('test/contract/') || readFileSync(path, 'utf8').includes(name);
  const inFile = ({ hits }: Covered) =>
    Object.entries(hits).flatMap(([key, counts]) => (key.startsWith(`${file}@`) ? Object.values(counts) : []));
  const ranked = (countsOf: (covered: Covered) => number[], isIncluded: (path: string) => boolean) =>
    Object.entries(coverage)
      .map(([path, covered]): [string, number] => {
        const count = countsOf(covered).reduce((a, b) => a + b, 0);
        if (count === 0 && !isIncluded(path)) return [path, 0];
        return [path, Math.log2(2 + count) / (200 + covered.ms) + (isImporting(path) ? 1 : 0)];
      })
      .filter(([, rank]) => rank > 0)
      .sort(([, a], [, b]) => b - a)
      .map(([path]) => path);
  const exact = ranked(
    (covered) => {
      const counts = covered.hits[version];
      // Test files that ran another version of the file are not excluded.
      return counts === undefined ? inFile(covered) : [counts[block] ?? 0];
    },
    () => false,
  );
  return exact.length > 0 ? { tests: exact, isExact: true } : { tests: ranked(inFile, isImporting), isExact: false };
}
