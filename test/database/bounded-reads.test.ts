/** The result of each statement of a read is bounded for chats of any size. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { longReads } from '../../src/database/connection/long-reads.js';
import { createCheckpoint } from '../../src/conversation/branches/checkpoints.js';
import type { ConversationReads } from '../../src/conversation/reads.js';
import type { Queryable } from '../../src/database/connection/connection.js';
import { createReads } from '../../src/database/reading/reads.js';
import { VIEWER, writeBranches, writeChain } from '../support/chats/large-chats.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';

const DEPTH = 10_500;
const BRANCHES = 2_500;
/** Maximum result of a statement. */
const AT_ONCE = 10_000;

let database: TemporaryDatabase;
let reads: ConversationReads;
/** The rows, or messages in JSON, of each statement since the test began. */
const answers: number[] = [];

beforeAll(async () => {
  database = await temporaryDatabase();
  await writeChain(database.store, 'deep', DEPTH);
  await writeBranches(database.store, 'comb', BRANCHES, BRANCHES);
  await writeBranches(database.store, 'bushy', BRANCHES, 1);
  for (let n = 0; n < 5; n++) {
    await createCheckpoint(database.store, VIEWER, { chatId: 'bushy', name: `c${n}`, messageId: 'bushy-0' });
  }
  const { connection } = database;
  const count = <T extends object>(rows: T[]): T[] => {
    const [row] = rows as { json?: string }[];
    answers.push(typeof row?.json === 'string' ? (JSON.parse(row.json) as unknown[]).length : rows.length);
    return rows;
  };
  const counting = (db: Queryable): Queryable => ({
    ...db,
    rows: async <T extends object>(...statement: Parameters<Queryable['rows']>) =>
      count(await db.rows<T>(...statement)),
  });
  const watched = {
    ...connection,
    read: <T>(query: (db: Queryable) => Promise<T>) => connection.read((db) => query(counting(db))),
    long: longReads(async <T extends object>(...statement: Parameters<Queryable['rows']>) =>
      count(await connection.long.rows<T>(...statement)),
    ),
  };
  reads = createReads(watched);
});
afterAll(() => database.remove());
beforeEach(() => void (answers.length = 0));

const range = (count: number) => Array.from({ length: count }, (_, n) => n);
const deep = (depth: number) => `deep-${depth}`;
const inDeep = (depth: number) => ({ chatId: 'deep', id: deep(depth) });
const inBushy = (id: string) => ({ chatId: 'bushy', id });
const ofComb = (depth: number) => ({ id: `comb-${depth}`, chatId: 'comb', depth });

it('a path is read in pieces, whole and in order', async () => {
  const [whole, piece, short] = await reads.chains([
    { chatId: 'deep', messageId: deep(DEPTH - 1), length: DEPTH },
    { chatId: 'deep', messageId: deep(DEPTH - 2), length: AT_ONCE + 3 },
    { chatId: 'deep', messageId: deep(1), length: 5 },
  ]);
  expect(whole!.map(({ id }) => id)).toEqual(range(DEPTH).map(deep));
  expect(piece!.map(({ depth }) => depth)).toEqual(range(AT_ONCE + 3).map((n) => DEPTH - AT_ONCE - 4 + n));
  expect(short!.map(({ id }) => id)).toEqual([deep(0), deep(1)]);
  expect(Math.max(...answers)).toBe(AT_ONCE);
});

it('the leaves below many messages are walked to in pieces, and no way twice', async () => {
  const walked = new Map<string, string | null>();
  const some = range(100).map((n) => inDeep(n * 100));
  expect((await reads.latestLeaves(some, walked)).map(({ id }) => id)).toEqual(some.map(() => deep(DEPTH - 1)));
  expect(Math.max(...answers)).toBeLessThanOrEqual(AT_ONCE);
  const statements = answers.length;
  expect(statements).toBeGreaterThan(2);
  await reads.latestLeaves([inDeep(1), inDeep(DEPTH - 10)], walked);
  // The leaf itself.
  expect(answers.length).toBe(statements + 1);
});

it('the branches through a message are read in pieces', async () => {
  const [through, own] = await reads.branchesThrough([ofComb(0), { id: 'comb-b3', chatId: 'comb', depth: 4 }]);
  expect(through).toHaveLength(BRANCHES + 1);
  expect(own!.map(({ name }) => name)).toEqual(['b3']);
  expect(Math.max(...answers)).toBeLessThanOrEqual(AT_ONCE);
});

it('a list by keys reads only the requested rows', async () => {
  const [at] = await reads.branchesAt([inBushy('bushy-0')], 30);
  const [all] = await reads.branchesAt([inBushy(`bushy-${BRANCHES - 1}`), inBushy('bushy-b7')], 30);
  expect([at?.length, all?.length]).toEqual([1, 0]);
  expect((await reads.checkpointsAt([inBushy('bushy-0')], 3)).flat()).toHaveLength(3);
  expect((await reads.checkpointsAt([inBushy('bushy-0')], 30)).flat().map(({ name }) => name)).toEqual(
    [4, 3, 2, 1, 0].map((n) => `c${n}`),
  );
  expect(Math.max(...answers)).toBeLessThanOrEqual(5);
});

it('a page of branches reads the page', async () => {
  const all = { first: null, last: null, after: null, before: null };
  const [first] = await reads.branchPages(['bushy'], { ...all, first: 3 });
  const [last] = await reads.branchPages(['bushy', 'deep'], { ...all, last: 3 });
  const [newest] = await reads.checkpointPages(['bushy'], { ...all, first: 2 });
  const [oldest] = await reads.checkpointPages(['bushy'], { ...all, last: 2 });
  expect(first!.rows.map(({ name }) => name)).toEqual(['main', 'b0', 'b1']);
  expect(last!.rows.map(({ name }) => name)).toEqual([3, 2, 1].map((n) => `b${BRANCHES - n}`));
  expect(newest!.rows.map(({ name }) => name)).toEqual(['c4', 'c3']);
  expect(oldest!.rows.map(({ name }) => name)).toEqual(['c1', 'c0']);
  expect(Math.max(...answers)).toBeLessThanOrEqual(4);
});
