/** Reader threads of a SQLite file. */
import sql, { type Sql } from 'sql-template-tag';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteThreads } from '../../../src/database/drivers/sqlite-threads.js';
import { temporaryDatabase } from '../../support/database/temporary-database.js';

/** Rows with a number and a text of this length. */
const numbers = (count: number, bytes = 1): Sql => sql`
  WITH RECURSIVE w(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM w WHERE n < ${count}) SELECT n, hex(zeroblob(${bytes})) AS text FROM w`;

async function threadsOn(heapMiB?: number): Promise<SqliteThreads> {
  const { url, remove } = await temporaryDatabase();
  const threads = new SqliteThreads(url.replace('file:', ''), [], undefined, heapMiB);
  onTestFinished(async () => {
    await threads.close();
    await remove();
  });
  return threads;
}

it('answers rows', async () => {
  const threads = await threadsOn();
  expect(await threads.rows(sql`SELECT ${'a'} AS a, ${1} AS b UNION ALL SELECT 'c', NULL`)).toEqual([
    { a: 'a', b: 1 },
    { a: 'c', b: null },
  ]);
});

it('returns bytes in a buffer with free space, which is reused after its release', async () => {
  const threads = await threadsOn();
  const bytes = (text: string) => threads.bytes(sql`SELECT CAST(${text} AS BLOB) AS json`);
  expect(await threads.bytes(sql`SELECT NULL AS json`)).toBeNull();
  const first = (await bytes('["ä"]'))!;
  const second = (await bytes('[2]'))!;
  expect(Buffer.from(first.within('ö:', '!')!).toString()).toBe('ö:["ä"]!');
  expect(first.within('x'.repeat(100_000), '')).toBeNull();
  first.release();
  first.release();
  expect(first.within('', '')).toBeNull();
  const [third, fourth] = await Promise.all([bytes('[3]'), bytes(`[${'4'.repeat(3_000_000)}]`)]);
  expect(Buffer.from(first.bytes.subarray(0, 3)).toString()).toBe('[3]');
  expect([second, third].map((each) => Buffer.from(each!.bytes).toString())).toEqual(['[2]', '[3]']);
  expect(fourth!.bytes).toHaveLength(3_000_002);
});

it("returns the driver's code of a failure", async () => {
  const threads = await threadsOn();
  await expect(threads.rows(sql`SELECT * FROM nothing_here`)).rejects.toMatchObject({
    message: 'no such table: nothing_here',
    code: 'SQLITE_ERROR',
  });
  await expect(threads.rows(sql`DELETE FROM "chats" RETURNING "id"`)).rejects.toMatchObject({
    code: 'SQLITE_READONLY',
  });
});

it('replaces a thread that has died; its statement fails', async () => {
  const threads = await threadsOn(16);
  const failing = threads.rows(numbers(5_000, 50_000));
  const waiting = threads.rows(numbers(3));
  await expect(failing).rejects.toMatchObject({ code: 'ERR_WORKER_OUT_OF_MEMORY' });
  expect(await waiting).toHaveLength(3);
  expect(await threads.rows(numbers(2))).toHaveLength(2);
});

it('blocks no other operation', async () => {
  const { connection, remove } = await temporaryDatabase();
  onTestFinished(remove);
  const answered: string[] = [];
  const long = connection.long
    .rows(sql`SELECT count(*) AS n FROM (${numbers(2_000_000)})`)
    .then(() => answered.push('the long one'));
  await connection.long.rows(sql`SELECT 1 AS one`).then(() => answered.push('one behind it'));
  expect(answered).toEqual(['the long one', 'one behind it']);
  const again = connection.long
    .rows(sql`SELECT count(*) AS n FROM (${numbers(2_000_000)})`)
    .then(() => answered.push('the long one'));
  for (let n = 0; n < 10; n++) await connection.read((db) => db.rows(sql`SELECT 1 AS one`));
  answered.push('ten others');
  await Promise.all([long, again]);
  expect(answered.slice(2)).toEqual(['ten others', 'the long one']);
});
