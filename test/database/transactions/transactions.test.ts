/** Transactions are atomic and isolated. */
import sql, { type Sql } from 'sql-template-tag';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Queryable, Transaction } from '../../../src/database/connection/connection.js';
import { tableAt } from '../../support/database/all-rows.js';
import { databaseKind } from '../../support/database/database-kind.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/database/temporary-database.js';

/** Queries wait for transactions in memory, and on SQL Server without snapshot isolation. */
const canReadMeanwhile = databaseKind === 'sqlite' || databaseKind === 'postgresql';

let database: TemporaryDatabase;
beforeAll(async () => {
  database = await temporaryDatabase();
});
afterAll(() => database.remove());

const chats = () => tableAt(database.url, 'chats');
const write = <T>(work: (tx: Transaction) => Promise<T>, key = 'a test') => database.connection.write(key, work);
/** Inserts a chat with its id as title; a second one with the same id fails. */
const insert = (id: string): Sql => {
  const times = { createdAt: 1, updatedAt: 1, version: 1, usage: null };
  return database.connection.sql.insertRows('chats', [{ id, userId: 'u', title: id, metadata: '{}', ...times }]);
};
const rename = (from: string, to: string): Sql => sql`UPDATE ${chats()} SET "title" = ${to} WHERE "title" = ${from}`;
async function titlesIn(db: Queryable): Promise<string[]> {
  const rows = await db.rows<{ title: string }>(sql`SELECT "title" AS "title" FROM ${chats()} ORDER BY "title"`);
  return rows.map(({ title }) => title);
}
const titles = () => database.connection.read(titlesIn);
const failureOf = (job: Promise<unknown>) =>
  job.then(
    () => 'none',
    (error: unknown) => database.connection.sql.failure(error),
  );

beforeEach(async () => {
  await write((tx) => tx.run(sql`DELETE FROM ${chats()}`));
  await write((tx) => tx.run(insert('before')));
});

it('returns the number of written rows, and the result of the work', async () => {
  expect(await write((tx) => tx.run(rename('before', 'after')))).toBe(1);
  expect(await write((tx) => tx.run(rename('before', 'after')))).toBe(0);
  expect(await write(() => Promise.resolve('nothing at all'))).toBe('nothing at all');
  expect(await titles()).toEqual(['after']);
});

it('leaves nothing when a statement fails in the middle', async () => {
  const job = write(async (tx) => {
    await tx.run(insert('a'));
    await tx.run(insert('before'));
    await tx.run(insert('b'));
  });
  expect(await failureOf(job)).toBe('duplicate');
  expect(await titles()).toEqual(['before']);
  await write((tx) => tx.run(insert('next')));
  expect(await titles()).toEqual(['before', 'next']);
});

it('writes nothing when the work throws, and rejects with its error', async () => {
  const refused = new Error('refused');
  const job = write(async (tx) => {
    tx.runLast(insert('last'));
    await tx.run(insert('a'));
    throw refused;
  });
  await expect(job).rejects.toBe(refused);
  expect(await titles()).toEqual(['before']);
});

it('runs the last statements after all others in order, also without others', async () => {
  await write(async (tx) => {
    tx.runLast(rename('a', 'b'));
    tx.runLast(rename('b', 'c'));
    await tx.run(insert('a'));
    expect(await titlesIn(tx)).toEqual(['a', 'before']);
  });
  await write(async (tx) => {
    tx.runLast(rename('c', 'd'));
    tx.runLast(rename('d', 'e'));
  });
  expect(await titles()).toEqual(['before', 'e']);
});

it.each([
  ['with others', ['first']],
  ['alone', []],
])('writes nothing when one of the last statements fails, %s, and reports the reason', async (_, others) => {
  const job = write(async (tx) => {
    for (const id of ['a', 'before', 'b']) tx.runLast(insert(id));
    for (const id of others) await tx.run(insert(id));
  });
  expect(await failureOf(job)).toBe('duplicate');
  expect(await titles()).toEqual(['before']);
  await write(async (tx) => tx.runLast(insert('next')));
  expect(await titles()).toEqual(['before', 'next']);
});

it('is invisible before its end, and does not affect others when it fails', async () => {
  let seen: Promise<string[][]> | undefined;
  const failing = write(async (tx) => {
    await tx.run(insert('a'));
    const read = titles();
    const change = write(async (other) => {
      await other.run(insert('other'));
      return titlesIn(other);
    }, 'another');
    seen = Promise.all([read, change]);
    if (canReadMeanwhile) expect(await read).toEqual(['before']);
    expect(await titlesIn(tx)).toContain('a');
    throw new Error('refused');
  });
  await expect(failing).rejects.toThrow('refused');
  const [read, change] = await seen!;
  if (canReadMeanwhile) expect(read).toEqual(['before']);
  else expect(read).not.toContain('a');
  expect(change).toEqual(['before', 'other']);
  expect(await titles()).toEqual(['before', 'other']);
});

it('is atomic among many concurrent ones', async () => {
  const job = (n: number) =>
    write(
      async (tx) => {
        await tx.run(insert(`${n}-a`));
        tx.runLast(insert(`${n}-b`));
        if (n % 2 === 1) await tx.run(insert('before'));
      },
      `key ${n % 5}`,
    );
  const failures = await Promise.all(Array.from({ length: 20 }, (_, n) => failureOf(job(n))));
  expect(failures).toEqual(Array.from({ length: 20 }, (_, n) => (n % 2 === 1 ? 'duplicate' : 'none')));
  const whole = Array.from({ length: 10 }, (_, n) => [`${2 * n}-a`, `${2 * n}-b`]).flat();
  expect((await titles()).sort()).toEqual([...whole, 'before'].sort());
});

it('cannot be used after its end', async () => {
  const [over] = await write(async (tx) => [tx]);
  await expect(over.run(sql`DELETE FROM ${chats()}`)).rejects.toThrow('the transaction is over');
  await expect(over.rows(sql`SELECT 1 AS one`)).rejects.toThrow('the transaction is over');
});
