/** Conflicting transactions: they are retried, and use at most their share of the connections. */
import pg from 'pg';
import { raw } from 'sql-template-tag';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import { postgresqlSettings } from '../../../src/database/drivers/postgresql.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/connection/database-url.js';
import { VIEWER } from '../../support/chats/large-chats.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/database/temporary-database.js';

let database: TemporaryDatabase;
beforeAll(async () => {
  database = await temporaryDatabase();
  for (const id of ['a', 'b']) await createChat(database.store, VIEWER, { id });
});
afterAll(() => database.remove());

const save = (chatId: string, id: string) =>
  saveMessages(database.store, VIEWER, { chatId, messages: [{ id, name: 'user', content: { text: 'kept' } }] });

it('a transaction that a deadlock aborted is retried', async () => {
  const { connection } = database;
  const { sql, write } = connection;
  let holders = 0;
  let bothHold = () => {};
  const gate = new Promise<void>((resolve) => (bothHold = resolve));
  let commits = () => {};
  const oneCommitted = new Promise<void>((resolve) => (commits = resolve));
  const lockBoth = async (first: string, second: string) => {
    let tries = 0;
    await write(`${first} then ${second}`, async (tx) => {
      // At once, it could lock the chat before a slow server wakes the other transaction: a second deadlock.
      if (++tries > 1) await oneCommitted;
      await tx.rows(sql.lockChat(first));
      if (++holders === 2) bothHold();
      await gate;
      await tx.rows(sql.lockChat(second));
    });
    commits();
    return tries;
  };
  const tries = await Promise.all([lockBoth('a', 'b'), lockBoth('b', 'a')]);
  expect(tries.sort()).toEqual([1, 2]);
});

it.each([
  ['a serialization failure', '40001', 2],
  ['a deadlock', '40P01', 2],
  ['a lock that is held', '55P03', 2],
  ['a division by zero', '22012', 1],
])('a transaction is retried only after a temporary failure: %s', async (_, code, expected) => {
  let tries = 0;
  const job = database.connection.write('a', async (tx) => {
    if (++tries > 1) return 'done';
    await tx.run(raw(`DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${code}'; END $$`));
    return 'not done';
  });
  if (expected === 1) await expect(job).rejects.toThrow('no');
  else expect(await job).toBe('done');
  expect(tries).toBe(expected);
});

it('other chats can be changed while any number of transactions wait for a locked chat', async () => {
  const holder = new pg.Client(postgresqlSettings(parseDatabaseUrl(database.url) as ServerUrl));
  await holder.connect();
  await holder.query(`BEGIN; SELECT 1 FROM chats WHERE "id" = 'a' FOR UPDATE`);
  let done = 0;
  const waiting = Array.from({ length: 100 }, (_, n) => save('a', `a-${n}`).finally(() => done++));
  for (let n = 0; n < 5; n++) await save('b', `b-${n}`);
  expect(await database.reads.messageCounts(['a', 'b'])).toEqual([0, 5]);
  expect(done).toBe(0);
  await holder.query('COMMIT');
  await holder.end();
  await Promise.all(waiting);
  expect(await database.reads.messageCounts(['a'])).toEqual([100]);
});
