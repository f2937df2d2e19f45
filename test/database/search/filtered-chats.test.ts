/** Filters on metadata or titles read chats in steps, and return the same pages as a complete read. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { ContentBudget } from '../../../src/limits/content-budget.js';
import { Deadline } from '../../../src/limits/deadline.js';
import { TimeoutError } from '../../../src/conversation/errors.js';
import type { ChatFilter } from '../../../src/conversation/reads.js';
import { parseQuery } from '../../../src/search/query.js';
import { withinBounds } from '../../../src/database/connection/within-bounds.js';
import { DatabaseStore } from '../../../src/database/store/database-store.js';
import { createReads } from '../../../src/database/reading/reads.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/database/temporary-database.js';

/** More chats than one step reads. */
const CHATS = 1_200;
/** Chats with three times the metadata that one statement reads. */
const LARGE = 160;

let database: TemporaryDatabase;
const statements: string[] = [];
let onStatement: () => void = () => {};
beforeAll(async () => {
  database = await temporaryDatabase((sql) => {
    statements.push(sql);
    onStatement();
  });
  let now = 0;
  const store = new DatabaseStore(database.connection, { clock: () => ++now });
  for (let n = 0; n < CHATS; n++) {
    const metadata = { even: n % 2 === 0, rare: n % 400 === 7 };
    // As long as titles can be.
    const title = `${n % 400 === 7 ? 'rare' : 'often'} `.padEnd(255, 'on and on ').trim();
    await createChat(store, { userId: 'u', isAdmin: false }, { id: `chat ${n}`, title, metadata });
  }
  for (let n = 0; n < LARGE; n++) {
    const metadata = { text: 'x'.repeat(60_000), last: n === 0 };
    await createChat(store, { userId: 'v', isAdmin: false }, { id: `large ${n}`, metadata });
  }
});
afterAll(() => database.remove());
beforeEach(() => void (statements.length = 0));

const ALL = { first: null, last: null, after: null, before: null };
const filter = (userId: string, key: string): ChatFilter => ({ userId, metadata: [{ key, equals: 'true' }] });
const looks = () => statements.filter((sql) => sql.includes('c."metadata" ->')).length;
/** Newest first. */
const numbers = (which: (n: number) => boolean) => Array.from({ length: CHATS }, (_, n) => CHATS - 1 - n).filter(which);

describe('pages', () => {
  const even = numbers((n) => n % 2 === 0);
  const page = async (asked: Partial<Record<keyof typeof ALL, unknown>>, key = 'even') => {
    const found = await database.reads.chatPage(filter('u', key), { ...ALL, ...asked } as typeof ALL);
    return { ...found, rows: found.rows.map(({ id }) => Number(id.slice('chat '.length))) };
  };

  it('contain the matching chats, from either end and after a chat', async () => {
    const none = { hasNextPage: false, hasPreviousPage: false };
    expect(await page({})).toEqual({ ...none, rows: even });
    expect(await page({ first: 3 })).toEqual({ rows: even.slice(0, 3), hasNextPage: true, hasPreviousPage: false });
    expect(await page({ last: 3 })).toEqual({ rows: even.slice(-3), hasNextPage: false, hasPreviousPage: true });
    const [chat] = await database.reads.chats([`chat ${even[300]}`]);
    const position = { updatedAt: chat!.chat.updatedAt, id: chat!.chat.id };
    expect(await page({ first: 2, after: position })).toEqual({
      rows: even.slice(301, 303),
      hasNextPage: true,
      hasPreviousPage: true,
    });
    expect((await page({ last: 400, before: position })).rows).toEqual(even.slice(0, 300));
    expect((await page({ first: 2 }, 'rare')).rows).toEqual(numbers((n) => n % 400 === 7).slice(0, 2));
    expect(await page({ first: 2 }, 'nothing')).toEqual({ ...none, rows: [] });
  });

  it('read only the required steps', async () => {
    await page({ first: 3 });
    expect(looks()).toBe(1);
  });
});

it('the chats that meet a filter are counted', async () => {
  expect(await database.reads.chatCount(filter('u', 'even'))).toBe(CHATS / 2);
  expect(await database.reads.chatCount({ ...filter('u', 'even'), userId: null })).toBe(CHATS / 2);
  expect(await database.reads.chatCount(filter('u', 'rare'))).toBe(3);
});

describe('titles', () => {
  const titled = (words: string): ChatFilter => ({ userId: 'u', metadata: [], title: parseQuery(words) });

  it('are searched in steps, and only as far as required', async () => {
    const found = await database.reads.chatPage(titled('rare'), { ...ALL, first: 2 });
    expect(found.rows.map(({ id }) => id)).toEqual(['chat 807', 'chat 407']);
    expect(found).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    expect(statements.filter((sql) => sql.includes('c."title", octet_length'))).toHaveLength(2);
    statements.length = 0;
    expect((await database.reads.chatPage(titled('often'), { ...ALL, first: 2 })).rows).toHaveLength(2);
    expect(statements.filter((sql) => sql.includes('c."title", octet_length'))).toHaveLength(1);
  });

  it('are read in many turns of the event loop', async () => {
    let turns = 0;
    let next = setImmediate(function count() {
      turns++;
      next = setImmediate(count);
    });
    expect(await database.reads.chatCount(titled('on -rare'))).toBe(CHATS - 3);
    clearImmediate(next);
    expect(turns).toBeGreaterThan((CHATS * 255) / 16_000);
  });

  it('without words are not searched', async () => {
    expect(await database.reads.chatCount(titled('-rare'))).toBe(0);
    expect(statements).toEqual([]);
  });
});

it('no statement reads more than a few megabytes', async () => {
  expect((await database.reads.chatPage(filter('v', 'last'), { ...ALL, first: 1 })).rows).toMatchObject([
    { id: 'large 0' },
  ]);
  expect(looks()).toBe(3);
});

it('no statement begins after the deadline', async () => {
  const deadline = new Deadline(60_000);
  const reads = createReads(withinBounds(database.connection, { deadline, content: new ContentBudget(Infinity) }));
  onStatement = () => {
    if (looks() === 1) deadline.giveUp();
  };
  await expect(reads.chatCount(filter('v', 'last'))).rejects.toBeInstanceOf(TimeoutError);
  expect(looks()).toBe(1);
  onStatement = () => {};
  deadline.end();
});
