/** `npm run demo`. */
import { expect, it } from 'vitest';
import { command } from '../../../src/features/demo/command.js';
import { openDatabase } from '../../../src/database/opening/open.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { runHere } from '../../cli/run-here.js';

const run = (args: readonly string[], environment: NodeJS.ProcessEnv) =>
  runHere('demo', command, args, { environment });

/** The demo of a database; null without one. */
async function demoIn(url: string) {
  const { store } = await openDatabase({ url });
  try {
    return await store.chat('demo');
  } finally {
    await store.close();
  }
}

it('writes the demo with the present time, once', async () => {
  const DATABASE_URL = temporaryDatabaseUrl();
  const before = Date.now();
  expect(await run([], { DATABASE_URL })).toEqual({
    code: 0,
    out: ['The demo conversation is chat "demo" now.'],
    error: [],
  });
  const demo = await demoIn(DATABASE_URL);
  expect(demo!.createdAt).toBeGreaterThanOrEqual(before);
  expect(demo!.createdAt).toBeLessThanOrEqual(Date.now());

  expect(await run([], { DATABASE_URL })).toMatchObject({ code: 0, out: [expect.stringContaining('already')] });
  expect(await demoIn(DATABASE_URL)).toEqual(demo);
});

it('takes no arguments, and does not repeat them', async () => {
  const { code, out, error } = await run(['postgresql://parley:secret@db/parley'], {});
  expect([code, out]).toEqual([2, []]);
  expect(error[0]).toContain('Usage: parley demo');
  expect(error[0]).not.toContain('secret');
});
