/** A killed copy; copy-postgresql.long.test.ts does the same on PostgreSQL. */
import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { writeChain } from '../../support/chats/large-chats.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { startCopy } from './copy-process.js';
import { atDatabase, contentOf, ofChat } from '../../cli/database-content.js';
import { SAME } from './run-copy.js';

const CHATS = ['a', 'b', 'large', 'larger'];

it('a killed copy left complete chats, and continues with the others in the next run', async () => {
  const [source, target] = [temporaryFile(), temporaryFile()];
  const [from, to] = [`file:${source}`, `file:${target}`];
  await atDatabase(from, async ({ store }) => {
    for (const [n, chatId] of CHATS.entries()) await writeChain(store, chatId, n < 2 ? 3 : 10_000);
  });
  await atDatabase(to, () => Promise.resolve());
  const look = new Database(target, { readonly: true });
  const countChats = look.prepare('SELECT count(*) FROM chats').pluck();

  const process = startCopy(from, to);
  // During the third chat.
  while (Number(countChats.get()) < 2) await setImmediate();
  process.kill();
  expect((await process.exited).signal).toBe('SIGKILL');
  look.close();

  const [original, left] = [await contentOf(from), await contentOf(to)];
  const there = left.chats.length;
  expect(there).toBeGreaterThanOrEqual(2);
  expect(there).toBeLessThan(CHATS.length);
  for (const chatId of CHATS.slice(0, there)) expect(ofChat(left, chatId)).toEqual(ofChat(original, chatId));
  expect(left.messages.length + left.events.length).toBe(
    CHATS.slice(0, there).reduce((sum, chatId) => {
      const { messages, events } = ofChat(original, chatId);
      return sum + messages.length + events.length;
    }, 0),
  );

  const again = await startCopy(from, to).exited;
  expect(again).toMatchObject({ code: 0, error: [] });
  expect(again.out[0]).toMatch(new RegExp(`^${CHATS.length - there} chats? copied .*, ${there} there already\\.$`));
  expect(again.out.at(-1)).toBe(SAME);
  expect(await contentOf(to)).toEqual(original);
});
