/** A killed copy, and one with little memory. copy-postgresql.test.ts tests the same on PostgreSQL. */
import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { isThorough } from '../../support/effort.js';
import { VIEWER, writeChain } from '../../support/chats/large-chats.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { startCopy } from './copy-process.js';
import { atDatabase, contentOf, ofChat } from '../database-content.js';
import { SAME } from './run-copy.js';

const CHATS = ['a', 'b', 'large', 'larger'];

it('a killed copy left complete chats, and continues with the others in the next run', async () => {
  const [source, target] = [temporaryFile(), temporaryFile()];
  const [from, to] = [`file:${source}`, `file:${target}`];
  await atDatabase(from, async ({ store }) => {
    for (const [n, chatId] of CHATS.entries()) await writeChain(store, chatId, n < 2 ? 3 : isThorough ? 10_000 : 5_000);
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
}, 120_000);

it('a chat can be larger than the memory', async () => {
  const [source, target] = [temporaryFile(), temporaryFile()];
  await atDatabase(`file:${source}`, ({ store }) => createChat(store, VIEWER, { id: 'c' }));
  const count = 150;
  const database = new Database(source);
  database.exec(`
    CREATE TEMP TABLE n AS WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${count}) SELECT n FROM n;
    INSERT INTO messages ("id", "chatId", "name", "type", "createdAt", "depth", "seq", "siblingIndex", "jumpId", "preview", "data", "createdBy")
    SELECT 'm' || n, 'c', 'user', 'message', n, 0, n, n, 'm' || n, '', '{"blob":"' || hex(randomblob(520000)) || '"}', 'u' FROM n;
    INSERT INTO message_texts ("messageId", "chatId", "name", "createdAt", "seq", "length", "terms")
    SELECT 'm' || n, 'c', 'user', n, n, 0, '' FROM n;
    INSERT INTO message_runs ("chatId", "seq", "parentSeq") SELECT 'c', n, NULL FROM n WHERE n > 1`);
  const megabytes = database.prepare('SELECT sum(octet_length("data")) / 1000000 FROM messages').pluck().get();
  database.close();
  expect(megabytes).toBeGreaterThan(150);

  const copy = await startCopy(`file:${source}`, `file:${target}`, ['--max-old-space-size=80']).exited;
  expect(copy).toMatchObject({ code: 0, error: [] });
  expect(copy.out[0]).toBe(`1 chat copied (${count} messages), 0 there already.`);
}, 120_000);
