/** The work of a search and its steps are equal on every database. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { ContentBudget } from '../../../src/limits/content-budget.js';
import { TooLargeError } from '../../../src/conversation/errors.js';
import type { Search } from '../../../src/conversation/reads.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import type { LongReads } from '../../../src/database/connection/connection.js';
import type { Caller } from '../../../src/scheduler/fair-queue.js';
import { withinBounds } from '../../../src/database/connection/within-bounds.js';
import { createReader } from '../../../src/database/reading/reader.js';
import { searchReads } from '../../../src/database/reading/search/search-reads.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/database/temporary-database.js';

let database: TemporaryDatabase;
beforeAll(async () => {
  database = await temporaryDatabase();
});
afterAll(() => database.remove());

let n = 0;
let userId: string;
beforeEach(() => {
  userId = `user ${n++}`;
});

/** A chat of the user with a message for each text. */
async function write(texts: readonly string[], chatId = `chat ${n++}`): Promise<string> {
  const viewer = { userId, isAdmin: false };
  await createChat(database.store, viewer, { id: chatId });
  const messages = texts.map((text) => ({ name: 'user', content: { text } }));
  await saveMessages(database.store, viewer, { chatId, messages });
  return chatId;
}

/** Searches that record the candidate pages and texts of each step. */
function watched(limits: Parameters<typeof searchReads>[1], content?: ContentBudget, caller?: Caller) {
  const pages: { limit: number; beginnings: string[]; chatIds: readonly string[] | null }[] = [];
  const steps: (readonly number[])[] = [];
  let long = 0;
  const bound = withinBounds(database.connection, { content, caller });
  const sql: Dialect = {
    ...bound.sql,
    candidates(request) {
      const beginnings = request.index.flatMap(({ term, isPrefix }) => (isPrefix ? [term] : []));
      pages.push({ limit: request.limit, beginnings, chatIds: request.chatIds });
      return bound.sql.candidates(request);
    },
    hits(ids, ...others) {
      steps.push(ids);
      return bound.sql.hits(ids, ...others);
    },
  };
  const rows: LongReads['rows'] = (statement) => {
    long++;
    return bound.long.rows(statement);
  };
  const reads = searchReads(createReader({ ...bound, sql, long: { ...bound.long, rows } }), limits);
  const search = (query: string): Search => ({ query, userId, names: null, first: 5, after: null });
  return {
    reads,
    pages,
    steps,
    search,
    count: () => steps.reduce((sum, ids) => sum + ids.length, 0),
    /** Number of statements on connections that block no other operation. */
    long: () => long,
  };
}

function onStep(steps: (readonly number[])[], tell: () => void): void {
  const push = steps.push.bind(steps);
  steps.push = (...step) => {
    tell();
    return push(...step);
  };
}

/** Words whose search in a long text takes a separate step. */
const PATTERNS = Array.from({ length: 30 }, (_, word) => `w${word}`).join(' ');
const WORK_OF_LONG = 31 * 60_000 * ' long '.length;

function writeLong(count: number): Promise<string> {
  return write(many(count, `word ${PATTERNS} ${'long '.repeat(60_000)}`));
}

const many = (count: number, text: string) => Array.from({ length: count }, () => text);

test('reads no more texts than are ranked', async () => {
  const chatId = await write(many(20, 'word'));
  const { reads, search, steps } = watched({ ranked: 5 });
  expect((await reads.hits(search('word'))).rows).toHaveLength(5);
  expect((await reads.hitPages([chatId], search('word')))[0]?.rows).toHaveLength(5);
  expect(steps.map((ids) => ids.length)).toEqual([5, 5]);
});

test('reads as many more texts as should contain the missing hits', async () => {
  await write(Array.from({ length: 100 }, (_, each) => (each % 2 === 0 ? 'north wind' : 'north of the wind')));
  const { reads, search, steps, pages } = watched({ ranked: 10 });
  expect((await reads.hits({ ...search('"north wind"'), first: 10 })).rows).toHaveLength(10);
  expect(pages.map(({ limit }) => limit)).toEqual([10, 11]);
  expect(steps.map((ids) => ids.length)).toEqual([10, 11]);
});

test('reads no further in chats that have enough ranked hits', async () => {
  const few = await write(many(2, 'word'));
  const chatIds = [await write(many(20, 'word')), few, await write(many(20, 'word'))];
  const { reads, search, steps, pages } = watched({ ranked: 5 });
  const found = await reads.hitPages(chatIds, search('word'));
  expect(found.map(({ rows }) => rows.length)).toEqual([5, 2, 5]);
  // The newest 15 are those of one chat, which is then excluded.
  expect(pages.map((page) => page.chatIds)).toEqual([chatIds, chatIds.slice(0, 2)]);
  expect(steps.map((ids) => ids.length)).toEqual([15, 22]);

  const both = [await write([PATTERNS]), await writeLong(4)];
  const one = watched({ ranked: 1 });
  expect((await one.reads.hitPages(both, one.search(PATTERNS))).map(({ rows }) => rows.length)).toEqual([1, 1]);
  expect(one.steps.map((ids) => ids.length)).toEqual([1, 1]);
});

test('reads long texts in steps, short ones together', async () => {
  await writeLong(3);
  const { reads, search, steps } = watched({});
  expect((await reads.hits(search(PATTERNS))).rows).toHaveLength(3);
  expect(steps.map((ids) => ids.length)).toEqual([1, 1, 1]);
  expect((await reads.hits(search('long'))).rows).toHaveLength(3);
  expect(steps.slice(3).map((ids) => ids.length)).toEqual([3]);
});

test('runs long statements where they block no other operation', async () => {
  await write(many(10, 'word'));
  const { reads, search, long } = watched({});
  expect((await reads.hits(search('word -w1'))).rows).toHaveLength(5);
  expect(long()).toBe(0);
  await writeLong(2);
  expect((await reads.hits(search(PATTERNS))).rows).toHaveLength(2);
  expect(long()).toBe(2);
  // The index without a word, above the threshold of texts.
  for (let part = 0; part < 3; part++) await write(many(500, 'other'));
  expect((await reads.hits(search('nothing'))).rows).toEqual([]);
  expect(long()).toBe(2);
  expect((await reads.hits(search('nothing*'))).rows).toEqual([]);
  expect(long()).toBe(database.connection.sql.lastText === null ? 2 : 3);
});

test('refuses a search above the limit before reading, with every pattern counted', async () => {
  await write(many(10, 'alpha beta gamma'));
  const limit = 10 * 3 * (500 + ' alpha  beta  gamma '.length);
  const fits = watched({ work: limit });
  expect((await fits.reads.hits(fits.search('alpha beta'))).rows).toHaveLength(5);
  const exceeds = watched({ work: limit });
  for (const query of ['alpha beta gamma', 'alpha beta -delta', 'alpha beta gam*', 'alpha beta "beta gamma"']) {
    await expect(exceeds.reads.hits(exceeds.search(query))).rejects.toThrow(TooLargeError);
  }
  await writeLong(3);
  await expect(exceeds.reads.hits(exceeds.search(PATTERNS))).rejects.toThrow(TooLargeError);
  const longExceeds = watched({ work: 2.5 * WORK_OF_LONG });
  await expect(longExceeds.reads.hits(longExceeds.search(PATTERNS))).rejects.toThrow(TooLargeError);
  expect([...exceeds.steps, ...longExceeds.steps]).toEqual([]);
});

test('refuses a search that exceeds the limit later, without hits', async () => {
  await write(['beta alpha', ...many(10, 'alpha beta')]);
  const { reads, search, steps } = watched({ ranked: 5, work: 1_000_000 });
  await expect(reads.hits(search('"beta alpha"'))).rejects.toThrow(/rarer or fewer words/);
  expect(steps.flat()).toHaveLength(5);
});

test('the searches of one operation are counted together, and refuse it', async () => {
  await write(many(10, 'alpha'));
  const content = new ContentBudget(1_000_000);
  const { reads, search, steps } = watched({ work: 25_000 }, content);
  expect((await reads.hits(search('alpha'))).rows).toHaveLength(5);
  expect((await reads.hits(search('ALPHA'))).rows).toHaveLength(5);
  const asked = await Promise.allSettled(['Alpha', 'alphas'].map((query) => reads.hits(search(query))));
  expect(steps).toHaveLength(2);
  expect(content.refusal).toBeInstanceOf(TooLargeError);
  expect(asked).toEqual([0, 1].map(() => ({ status: 'rejected', reason: content.refusal })));
});

test('a user has at most four running searches, and other users do not wait for them', async () => {
  await writeLong(3);
  const caller = { userId };
  const all = Array.from({ length: 6 }, () => watched({}, undefined, caller));
  let mostUnderWay = 0;
  for (const { steps } of all) {
    onStep(steps, () => {
      const begun = all.filter(({ pages }) => pages.length > 0);
      mostUnderWay = Math.max(mostUnderWay, begun.filter(({ steps }) => steps.length < 3).length);
    });
  }
  const asked = all.map(({ reads, search }) => reads.hits(search(PATTERNS)));
  const stepsOfAll = () => all.reduce((sum, { steps }) => sum + steps.length, 0);
  await new Promise<void>((resolve) => {
    for (const { steps } of all) onStep(steps, resolve);
  });

  userId = 'somebody else';
  await write(many(10, 'alpha'));
  const other = watched({}, undefined, { userId });
  const before = stepsOfAll();
  expect((await other.reads.hits(other.search('alpha'))).rows).toHaveLength(5);
  // At most one statement of another user for each of its own.
  expect(stepsOfAll() - before).toBeLessThan(8);
  await Promise.all(asked);
  expect(mostUnderWay).toBe(4);
  expect(stepsOfAll()).toBe(6 * 3);
});

test('searches without an operation are counted separately', async () => {
  await write(many(10, 'alpha'));
  const { reads, search } = watched({ work: 12_000 });
  for (let again = 0; again < 3; again++) expect((await reads.hits(search('alpha'))).rows).toHaveLength(5);
});

test('no step starts after the end of its operation, and other searches continue', async () => {
  await writeLong(6);
  const content = new ContentBudget(100_000_000);
  const left = Array.from({ length: 4 }, () => watched({}, content));
  for (const { reads, search, steps } of left) {
    onStep(steps, () => content.end());
    void reads.hits(search(PATTERNS));
  }
  const { reads, search } = watched({});
  expect((await reads.hits(search(PATTERNS))).rows).toHaveLength(5);
  // Each has six before it.
  for (const { steps } of left) expect(steps.length).toBeLessThanOrEqual(1);
});

test('the index searches the two longest prefixes, and only if the newest texts had too few hits', async () => {
  await write([...many(3, 'alphabet betatron gammas zeta'), ...many(10, 'other')]);
  const { reads, search, pages, count } = watched({ ranked: 5 });
  expect((await reads.hits(search('al* bet* zeta* gamma*'))).rows).toHaveLength(3);
  expect(pages.map(({ beginnings }) => beginnings)).toEqual([[], ['gamma', 'zeta']]);
  expect(count()).toBe(5 + 3);
  expect((await reads.hits(search('o*'))).rows).toHaveLength(5);
  expect(pages.slice(2)).toMatchObject([{ limit: 5, beginnings: [] }]);
});
