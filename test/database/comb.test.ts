/** A chain with a branch at each of its messages, so that each message is on many branches. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeBranches } from '../support/chats/large-chats.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const LENGTH = 6_000;
/** MiB: less than a reference for each message and each branch through it would take. */
const HEAP = 96;

let database: TemporaryDatabase;
beforeAll(async () => {
  database = await temporaryDatabase();
  await writeBranches(database.store, 'comb', LENGTH, LENGTH);
});
afterAll(() => database.remove());

/** The messages at some depths, read by a process with little memory. */
async function through(bytes: number, depths: readonly number[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      `--max-old-space-size=${HEAP}`,
      '--import',
      './scripts/typescript.mjs',
      'test/database/comb-reader.ts',
      ...[database.url, bytes, ...depths].map(String),
    ],
    { cwd: PROJECT, env: {}, maxBuffer: 2 ** 24 },
  );
  return JSON.parse(stdout);
}

it(`the branches through its messages are found in a heap of ${HEAP} MiB`, async () => {
  const depths = [0, 1, LENGTH / 2, LENGTH - 1];
  const from = (depth: number) => Array.from({ length: LENGTH - depth }, (_, n) => `b${depth + n}`);
  expect(await through(Infinity, depths)).toEqual(depths.map((depth) => ['main', ...from(depth)]));
});

it('those through all of its messages are refused before they take that heap', async () => {
  const depths = Array.from({ length: LENGTH }, (_, depth) => depth);
  expect(await through(8 * 1024 ** 2, depths)).toBe('too many');
});
