/** Runs test files in a process of their own, which ends with all of its workers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { memoryFolder } from '../support/memory-folder.js';
import type { Counts } from './hits.js';
import type { Mutant } from './mutants.js';

const VITEST = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const MUTANT_ARGS = ['--bail', '1'];

interface Report {
  testResults?: { name: string; assertionResults: { status: string }[] }[];
}

interface Outcome {
  /** Whether all tests passed and nothing else failed. */
  isPassing: boolean;
  /** Test files with failed tests. */
  failed: string[];
  hits: Map<string, { ms: number; hits: Counts }>;
}

/** @param mutant null counts the blocks that the test files run */
export async function runVitest(tests: string[], mutant: Mutant | null, limitMs = 2 ** 31 - 1): Promise<Outcome> {
  const folder = mkdtempSync(join(memoryFolder() ?? tmpdir(), 'mutation-'));
  const [reportFile, hitsFile] = [join(folder, 'report.json'), join(folder, 'hits')];
  const input = mutant === null ? { MUTATION_HITS: hitsFile } : { MUTATION: JSON.stringify(mutant) };
  const args = ['run', '--config', 'test/mutation/vitest.config.ts', '--reporter', 'json', '--outputFile', reportFile];
  const child = spawn(process.execPath, [VITEST, ...args, ...(mutant === null ? [] : MUTANT_ARGS)], {
    env: { ...process.env, TMPDIR: folder, MUTATION_TESTS: JSON.stringify(tests), ...input },
    stdio: 'ignore',
    // Its group of processes contains its workers.
    detached: true,
  });
  const kill = () => process.kill(-child.pid!, 'SIGKILL');
  const timer = setTimeout(kill, limitMs);
  process.once('exit', kill);
  const [code] = (await once(child, 'exit')) as [number | null];
  process.off('exit', kill);
  clearTimeout(timer);

  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  const { testResults = [] } = JSON.parse(read(reportFile) || '{}') as Report;
  const failed = testResults.filter((file) => file.assertionResults.some(({ status }) => status === 'failed'));
  const lines = read(hitsFile).split('\n').slice(0, -1);
  rmSync(folder, { recursive: true, force: true });
  return {
    isPassing: code === 0,
    failed: failed.map(({ name }) => relative('.', name)),
    hits: new Map(lines.map((line) => JSON.parse(line) as [string, { ms: number; hits: Counts }])),
  };
}
