/** `npm run check` and `npm run verify`, whose statements join within a chat on Citus. */
import sql, { type Sql } from 'sql-template-tag';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import { checkDatabase } from '../../../src/features/maintenance/checking/check-database.js';
import { ALL_CHECKS } from '../../../src/features/all-features.js';
import { verifyDigests } from '../../../src/features/maintenance/verify-command.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/database/temporary-database.js';

const VIEWER = { userId: 'u', isAdmin: false };
const CHATS = ['a', 'b', 'c'];

let database: TemporaryDatabase;
beforeAll(async () => {
  database = await temporaryDatabase();
  for (const id of CHATS) {
    await createChat(database.store, VIEWER, { id });
    await saveMessages(database.store, VIEWER, {
      chatId: id,
      messages: ['x', 'y', 'z'].map((name) => ({ id: id + name, name: 'user', content: { text: name } })),
    });
  }
});
afterAll(() => database.remove());

const damage = (statement: Sql) => database.connection.write('damage', (tx) => tx.run(statement));

it('finds nothing in a sound database', async () => {
  const report = await checkDatabase(database.connection, ALL_CHECKS);
  expect(report.problems()).toEqual([]);
  expect(report.rows).toBeGreaterThan(9 * 2);
  const verified = await verifyDigests(database.connection);
  expect([verified.report.problems(), verified.report.rows, verified.missing]).toEqual([[], 9, 0]);
});

it('finds damage in each chat', async () => {
  await damage(sql`UPDATE chats SET "version" = 99 WHERE "id" = 'a'`);
  await damage(sql`DELETE FROM message_texts WHERE "chatId" = 'b' AND "messageId" = 'by'`);
  await damage(sql`UPDATE messages SET "contentHash" = 'x', "depth" = 9 WHERE "chatId" = 'c' AND "id" = 'cz'`);
  expect((await checkDatabase(database.connection, ALL_CHECKS)).problems()).toEqual([
    'chats id="a": version is not the seq of its newest event',
    'messages chatId="b" seq=2 id="by": its row in message_texts is missing',
    'messages chatId="c" seq=3 id="cz": depth is not that of its parent plus one, or 0 for a root',
  ]);
  expect((await verifyDigests(database.connection)).report.problems()).toEqual([
    'messages chatId="c" seq=3 id="cz": contentHash is not that of its content, parent and sources',
  ]);
});
