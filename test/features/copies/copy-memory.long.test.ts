/** A copy with less memory than one of its chats. */
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { VIEWER } from '../../support/chats/large-chats.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { atDatabase } from '../../cli/database-content.js';
import { startCopy } from './copy-process.js';

it('copies a chat that is larger than its memory', async () => {
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
});
