/** `npm run demo`. */
import { expect, it } from 'vitest';
import { command } from '../../../src/features/demo/command.js';
import { openDatabase } from '../../../src/database/opening/open.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { runHere } from '../../cli/run-here.js';
import { openParley } from '../../support/server/parley.js';
import { WITH_DEMO } from './with-demo.js';

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

it('has branches, a merge, a tool call and code', async () => {
  const { ask } = await openParley(WITH_DEMO);
  const { data } = await ask(`{ chat(id: "demo") {
    activeBranch { name head { id } }
    branches { edges { node { name } } }
    branch(name: "both cities") { chain { id text data sources { id } } }
  } }`);
  const { branch, ...rest } = data!['chat'] as { branch: { chain: object[] } };
  expect(rest).toEqual({
    activeBranch: { name: 'main', head: { id: 'demo-food-answer' } },
    branches: {
      edges: ['main', 'main-v2', 'main-v2-v2', 'packing', 'both cities'].map((name) => ({ node: { name } })),
    },
  });
  expect(branch.chain.slice(-4)).toMatchObject([
    { id: 'demo-both' },
    {
      id: 'demo-train',
      data: { parts: [{ type: 'tool-findTrains', state: 'output-available' }, { type: 'text' }] },
      sources: [{ id: 'demo-food-answer' }],
    },
    { id: 'demo-cost' },
    { id: 'demo-cost-answer', text: expect.stringMatching(/```python\n[^]*```$/) as unknown },
  ]);
});

it('takes no arguments, and does not repeat them', async () => {
  const { code, out, error } = await run(['postgresql://parley:secret@db/parley'], {});
  expect([code, out]).toEqual([2, []]);
  expect(error[0]).toContain('Usage: parley demo');
  expect(error[0]).not.toContain('secret');
});
