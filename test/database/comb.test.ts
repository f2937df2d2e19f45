/** A chain with a branch that leaves it at each of its messages: as many branches run through it as it is long. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { writeBranches } from '../support/large-chats.js';
import { temporaryDatabase } from '../support/temporary-database.js';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const LENGTH = 6_000;
/** MiB, of which a reference for each message and each branch through it would take half as much again. */
const HEAP = 96;

it(`the branches through its messages are found in a heap of ${HEAP} MiB`, async () => {
  const { store, url, connection, remove } = await temporaryDatabase();
  onTestFinished(remove);
  await writeBranches(store, 'comb', LENGTH, LENGTH);
  await connection.close();
  const depths = [0, 1, LENGTH / 2, LENGTH - 1];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      `--max-old-space-size=${HEAP}`,
      '--import',
      './scripts/typescript.mjs',
      'test/database/comb-reader.ts',
      url,
      ...depths.map(String),
    ],
    { cwd: PROJECT, env: {}, maxBuffer: 2 ** 24 },
  );
  const from = (depth: number) => Array.from({ length: LENGTH - depth }, (_, n) => `b${depth + n}`);
  expect(JSON.parse(stdout)).toEqual(depths.map((depth) => ['main', ...from(depth)]));
});
