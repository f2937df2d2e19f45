import { expect, it, test } from 'vitest';
import { command } from '../../../src/features/members/command.js';
import { createChat } from '../../../src/conversation/chats.js';
import { openDatabase } from '../../../src/database/opening/open.js';
import { emptyDatabaseUrl } from '../../support/database/temporary-database.js';
import { runHere } from '../../cli/run-here.js';

async function run(url: string, ...args: string[]) {
  const { code, out, error } = await runHere('transfer', command, args, { environment: { DATABASE_URL: url } });
  return { code, out: out.join('\n'), errors: error.join('\n') };
}

async function ownersIn(url: string): Promise<string[]> {
  const { store, reads } = await openDatabase({ url });
  try {
    const page = { first: 1_000, last: null, after: null, before: null };
    return (await reads.chatPage({ userId: null, metadata: [] }, page)).rows.map(({ userId }) => userId).sort();
  } finally {
    await store.close();
  }
}

it('transfers all chats of a user to another, and finds none the next time', async () => {
  const url = emptyDatabaseUrl();
  const { store } = await openDatabase({ url, migrate: true });
  for (let n = 0; n < 101; n++) await createChat(store, { userId: 'local', isAdmin: true }, {});
  await createChat(store, { userId: 'bob', isAdmin: false }, {});
  await store.close();
  expect(await run(url, '--from', 'local', '--to', 'alice')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^101 chats of "local" in .+ went to "alice"\.$/) as string,
  });
  expect(new Set(await ownersIn(url))).toEqual(new Set(['alice', 'bob']));
  expect(await run(url, '--from', 'local', '--to', 'alice')).toMatchObject({
    out: expect.stringMatching(/^0 chats/) as string,
  });
});

test.each([
  [['--from', 'local'], "required option '--to <ID>' not specified"],
  [['--from', 'x', '--to', 'x'], '--from and --to are the same user.'],
  [['--from', '', '--to', 'x'], '--from must not be empty'],
  [['--from', 'x', '--to', 'y', '--what'], "unknown option '--what'"],
])('%j is wrong usage: %s', async (args, message) => {
  const { code, errors } = await run(':memory:', ...args);
  expect(code).toBe(2);
  expect(errors).toContain(message);
  expect(errors).toContain('Usage: parley transfer');
});
