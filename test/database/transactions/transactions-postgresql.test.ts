/** Transactions and their sessions: the round trips of a save, and the end of a session, which ends only its own transaction. */
import { setImmediate as nextRound } from 'node:timers/promises';
import sql, { raw } from 'sql-template-tag';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { DatabaseUnavailableError, NotFoundError } from '../../../src/conversation/errors.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import type { Queryable, Transaction } from '../../../src/database/connection/connection.js';
import { openDatabase } from '../../../src/database/opening/open.js';
import { DatabaseStore } from '../../../src/database/store/database-store.js';
import { VIEWER } from '../../support/chats/large-chats.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/database/temporary-database.js';
import { rawDatabase, type RawDatabase } from '../../support/database/raw-database.js';

let database: TemporaryDatabase;
let admin: RawDatabase;
beforeAll(async () => {
  database = await temporaryDatabase();
});
afterAll(() => database.remove());
beforeEach(async () => {
  admin = await rawDatabase(database.url);
  await admin.run('DELETE FROM search_index');
});

const write = <T>(work: (tx: Transaction) => Promise<T>) => database.connection.write('a test', work);
const read = <T>(query: (db: Queryable) => Promise<T>) => database.connection.read(query);
const insert = sql`INSERT INTO search_index VALUES (2, 2)`;
const written = async () => (await admin.rows('SELECT 1 FROM search_index')).length;

async function sessionOf(db: Queryable): Promise<number> {
  const [row] = await db.rows<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`);
  return row!.pid;
}

/** Ends a session like an administrator. Its messages have arrived when this returns. */
async function terminate(pid: number): Promise<void> {
  expect(await admin.rows('SELECT pg_terminate_backend($1, 60000) AS done', [pid])).toEqual([{ done: true }]);
  await nextRound();
}

describe('a transaction', () => {
  it('that hides the error of a statement changes nothing, and reports the error', async () => {
    const job = write(async (tx) => {
      await tx.run(insert);
      await tx.run(insert).catch(() => {});
      return 'done';
    });
    await expect(job).rejects.toThrow('a statement of the transaction had failed, and nothing was changed');
    expect(await written()).toBe(0);
  });

  it('keeps its session after a commit, a failure and a refusal', async () => {
    const session = await write(sessionOf);
    const refused = write(async (tx) => {
      expect(await sessionOf(tx)).toBe(session);
      await tx.run(insert);
      throw new NotFoundError('x');
    });
    await expect(refused).rejects.toThrow(NotFoundError);
    const failing = write(async (tx) => {
      expect(await sessionOf(tx)).toBe(session);
      await tx.run(insert);
      tx.runLast(insert);
    });
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    expect(await write(sessionOf)).toBe(session);
    expect(await written()).toBe(0);
  });
});

describe('a save', () => {
  /** Round trips before the commit: statements that wait for no earlier one share one. */
  async function roundTripsOf(branch: string | null): Promise<number> {
    let [trips, pending] = [0, 0];
    const sent = async <T>(answer: Promise<T>): Promise<T> => {
      if (pending++ === 0) trips++;
      return answer.finally(() => pending--);
    };
    const counting = (tx: Transaction): Transaction => ({
      yieldIfDue: () => tx.yieldIfDue(),
      isPipelined: tx.isPipelined,
      directory: tx.directory,
      rows: (statement) => sent(tx.rows(statement)),
      run: (statement) => sent(tx.run(statement)),
      runLast: (statement) => tx.runLast(statement),
    });
    const { connection } = database;
    const store = new DatabaseStore({
      ...connection,
      write: (key, work, options) => connection.write(key, (tx) => work(counting(tx)), options),
    });
    const messages = ['user', 'assistant'].map((name) => ({ name, content: { text: 'x' } }));
    await saveMessages(store, VIEWER, { chatId: 'saved', branch, messages });
    return trips;
  }

  it('takes two round trips: one to read, and one to write', async () => {
    await createChat(database.store, VIEWER, { id: 'saved' });
    for (const branch of [null, 'main', null]) expect(await roundTripsOf(branch)).toBe(1);
  });

  it('continues the head that the save before it has moved, however many wait for the lock', async () => {
    await createChat(database.store, VIEWER, { id: 'busy' });
    const other = await openDatabase({ url: database.url, migrate: true });
    onTestFinished(() => other.store.close());
    const saves = Array.from({ length: 20 }, (_, n) =>
      saveMessages(n % 2 === 0 ? database.store : other.store, VIEWER, {
        chatId: 'busy',
        messages: [{ name: 'user', content: { text: String(n) } }],
      }),
    );
    const heads = (await Promise.all(saves)).map(({ branch }) => branch.messageCount);
    expect(heads.sort((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  });
});

it('a chat that grows from nothing is not read again by each save and read, with plans that were made for empty tables', async () => {
  const fresh = await temporaryDatabase();
  onTestFinished(() => fresh.remove());
  const { store, connection } = fresh;
  await createChat(store, VIEWER, { id: 'first' });
  const messages = ['user', 'assistant'].map((name) => ({ name, content: { text: 'x' } }));
  for (let n = 0; n < 20; n++) {
    await saveMessages(store, VIEWER, { chatId: 'first', messages });
    await connection.read((db) => db.rows(connection.sql.chatsWithBranch(['first'])));
  }
  const saves = await connection.write('a test', (tx) => preparedPlans(tx, '%"lastIndex"%'));
  expect(saves).toHaveLength(1);
  const reads = await connection.read((db) => preparedPlans(db, '%"headDepth"%'));
  expect(reads).toHaveLength(1);
  for (const plan of [...saves, ...reads]) {
    expect(plan).not.toMatch(/Index Cond: \("chatId" = \$\d+\)\n *Filter: .*\bid = /);
    expect(plan).not.toMatch(/Join Filter: .*\bid = /);
  }
});

/** The plans for all values of the statements that a session has prepared. */
async function preparedPlans(db: Queryable, pattern: string): Promise<string[]> {
  const prepared = await db.rows<{ name: string; count: number }>(
    sql`SELECT name, cardinality(parameter_types) AS count FROM pg_prepared_statements WHERE statement LIKE ${pattern}`,
  );
  await db.run(sql`SET plan_cache_mode = force_generic_plan`);
  const plans: string[] = [];
  for (const { name, count } of prepared) {
    const execution = raw(`EXPLAIN EXECUTE ${name}(${Array(count).fill('NULL').join(', ')})`);
    plans.push((await db.rows<{ 'QUERY PLAN': string }>(execution)).map((row) => row['QUERY PLAN']).join('\n'));
  }
  return plans;
}

describe('a session that is ended', () => {
  it('between transactions is replaced, also for queries', async () => {
    const [writer, reader] = [await write(sessionOf), await read(sessionOf)];
    await terminate(writer);
    await terminate(reader);
    expect(await write(sessionOf)).not.toBe(writer);
    expect(await read(sessionOf)).not.toBe(reader);
  });

  it.each<[when: string, work: (tx: Transaction, session: number) => Promise<unknown>]>([
    ['before a statement', (tx, session) => terminate(session).then(() => tx.run(insert))],
    ['before the last statement', (tx, session) => terminate(session).then(() => tx.runLast(insert))],
    ['before the end', (_, session) => terminate(session)],
    [
      'while a statement runs',
      async (tx, session) => {
        const sleeping = expect(tx.run(sql`SELECT pg_sleep(600)`)).rejects.toMatchObject({ code: '57P01' });
        const sleepingQuery = `SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'`;
        while ((await admin.rows(sleepingQuery, [session])).length === 0);
        await Promise.all([sleeping, terminate(session)]);
        await tx.run(insert);
      },
    ],
  ])('%s ends its transaction, and the next transaction has another session', async (_, work) => {
    let session: number | undefined;
    const ended = write(async (tx) => {
      session = await sessionOf(tx);
      await tx.run(insert);
      await work(tx, session);
    });
    await expect(ended).rejects.toBeInstanceOf(DatabaseUnavailableError);
    expect(await written()).toBe(0);
    const next = await write(async (tx) => {
      await tx.run(insert);
      return sessionOf(tx);
    });
    expect(next).not.toBe(session);
    expect(await written()).toBe(1);
  });
});
