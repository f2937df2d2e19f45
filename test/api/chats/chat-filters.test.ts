/** Filters of chats by owner, time of change and title. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isInMemory } from '../../support/database/database-kind.js';
import { startParley, type Parley } from '../../support/server/parley.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { temporaryDatabase } from '../../support/database/temporary-database.js';

const CHATS = `query ($filter: ChatFilter, $first: Int, $last: Int, $after: String, $before: String) {
  chats(filter: $filter, first: $first, last: $last, after: $after, before: $before) {
    totalCount edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage }
  }
}`;

interface Answer {
  data?: {
    chats: {
      totalCount: number;
      edges: { cursor: string; node: { id: string } }[];
      pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean };
    };
  } | null;
  errors?: { message: string; extensions: { code: string } }[];
}

let parley: Parley;

/** A server with chats for a group of tests. */
function withChats(make: () => Promise<void>): void {
  beforeAll(async () => {
    const database = await temporaryDatabase();
    const started = await startParley({ databaseUrl: database.url });
    parley = started.parley;
    await make();
    return async () => {
      await started.stop();
      await database.remove();
    };
  });
}

const ask = (userId: string, query: string, variables: object): Promise<Answer> =>
  parley.ask(query, variables, { 'x-user-id': userId }) as Promise<Answer>;

async function create(userId: string, id: string, title?: string, metadata?: object): Promise<void> {
  const { errors } = await ask(
    userId,
    'mutation ($input: CreateChatInput!) { createChat(input: $input) { __typename } }',
    {
      input: { id, title, metadata },
    },
  );
  expect(errors).toBeUndefined();
}

/** The ids of a page, and its pageInfo. */
async function page(filter: object, args: object = { first: 1000 }, userId = 'local') {
  const { data, errors } = await ask(userId, CHATS, { filter, ...args });
  expect(errors).toBeUndefined();
  const { edges, totalCount, pageInfo } = data!.chats;
  return { ids: edges.map(({ node }) => node.id), cursors: edges.map(({ cursor }) => cursor), totalCount, pageInfo };
}

/** All chats of a filter, and their count. */
async function found(filter: object, userId?: string): Promise<string[]> {
  const { ids, totalCount } = await page(filter, { first: 1000 }, userId);
  expect(totalCount).toBe(ids.length);
  return ids.sort();
}

describe('mine', () => {
  withChats(async () => {
    for (const userId of ['local', 'alice']) await create(userId, `${userId}-chat`);
  });

  it('lists only the chats of an admin', async () => {
    expect(await found({})).toEqual(['alice-chat', 'local-chat']);
    expect(await found({ mine: false })).toEqual(['alice-chat', 'local-chat']);
    expect(await found({ mine: true })).toEqual(['local-chat']);
    expect(await found({ mine: true, userId: 'local' })).toEqual(['local-chat']);
  });

  it('changes nothing for other users', async () => {
    for (const mine of [true, false]) expect(await found({ mine }, 'alice')).toEqual(['alice-chat']);
  });

  it('cannot be combined with another user’s id', async () => {
    const { errors } = await ask('local', CHATS, { filter: { mine: true, userId: 'alice' } });
    expect(errors).toMatchObject([
      { message: "filter.mine: cannot be given with another user's userId", extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });
});

describe('the title', () => {
  const TITLES: Record<string, string> = {
    shoes: 'Running shoes',
    run: 'A run in the Café',
    blue: 'Blue shoes, and more',
    ramen: '東京のラーメン',
  };
  withChats(async () => {
    for (const [id, title] of Object.entries(TITLES)) await create('local', id, title, { even: id.length % 2 === 0 });
    await create('local', 'none');
    await create('alice', 'hers', 'Running shoes');
  });

  it.each([
    ['words in any form and order', 'shoe RUNS', ['hers', 'shoes']],
    ['without accents', 'cafe', ['run']],
    ['phrases', '"blue shoes"', ['blue']],
    ['without titles that contain only the words of a phrase', '"shoes blue"', []],
    ['beginnings', 'run*', ['hers', 'run', 'shoes']],
    ['exclusions', 'shoes -blue', ['hers', 'shoes']],
    ['text without spaces between words', 'ラーメン', ['ramen']],
    ['punctuation alone finds nothing', '...', []],
    ['exclusions alone find nothing', '-blue', []],
    ['an empty text finds nothing', '', []],
  ])('is searched for: %s', async (_, title, expected) => {
    expect(await found({ title })).toEqual(expected);
  });

  it('is combined with all other conditions', async () => {
    expect(await found({ title: 'shoes', userId: 'alice' })).toEqual(['hers']);
    expect(await found({ title: 'shoes', mine: true })).toEqual(['blue', 'shoes']);
    expect(await found({ title: 'shoes' }, 'alice')).toEqual(['hers']);
    expect(await found({ title: 'run*', metadata: [{ key: 'even', equals: false }] })).toEqual(['run', 'shoes']);
    expect(await found({ title: 'blue', metadata: [{ key: 'even', equals: false }] })).toEqual([]);
    expect(await found({ title: 'shoes', updatedBefore: '2001-01-01T00:00:00Z' })).toEqual([]);
    expect(await found({ title: null })).toHaveLength(6);
  });

  it('is paged from both ends', async () => {
    const all = await page({ title: 'shoes' });
    expect(all.ids).toHaveLength(3);
    expect(all.pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: false });
    const first = await page({ title: 'shoes' }, { first: 2 });
    expect(first).toMatchObject({ ids: all.ids.slice(0, 2), totalCount: 3 });
    expect(first.pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: false });
    const rest = await page({ title: 'shoes' }, { first: 2, after: first.cursors[1] });
    expect(rest.ids).toEqual(all.ids.slice(2));
    expect(rest.pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: true });
    const last = await page({ title: 'shoes' }, { last: 1, before: all.cursors[2] });
    expect(last.ids).toEqual([all.ids[1]]);
    expect(last.pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: true });
  });

  it('has at most 1,000 characters', async () => {
    expect(await found({ title: 'shoes '.repeat(166) })).toHaveLength(3);
    const { errors } = await ask('local', CHATS, { filter: { title: 'x'.repeat(1001) } });
    expect(errors).toMatchObject([{ message: 'filter.title must have at most 1000 characters, not 1001' }]);
  });
});

// A database in memory is not visible to other connections.
describe.skipIf(isInMemory)('the time of the newest update', () => {
  const time = (ms: number) => new Date(ms).toISOString();
  withChats(async () => {
    for (let n = 0; n < 4; n++) await create('local', `c${n}`, 'title');
  });
  beforeEach(async () => {
    const database = await rawDatabase(parley.databaseUrl);
    await database.run(
      `UPDATE chats SET "updatedAt" = CASE "id" WHEN 'c0' THEN 1000 WHEN 'c3' THEN 3000 ELSE 2000 END`,
    );
  });

  it.each([
    ['later than one', { updatedAfter: time(1000) }, ['c1', 'c2', 'c3']],
    ['and not at it', { updatedAfter: time(2000) }, ['c3']],
    ['later than a fraction of a millisecond', { updatedAfter: '1970-01-01T00:00:02.0009Z' }, ['c3']],
    ['earlier than one', { updatedBefore: time(3000) }, ['c0', 'c1', 'c2']],
    ['and not at it either', { updatedBefore: time(2000) }, ['c0']],
    ['between two', { updatedAfter: time(1000), updatedBefore: time(3000) }, ['c1', 'c2']],
    ['between two equal milliseconds', { updatedAfter: time(2000), updatedBefore: time(2001) }, []],
    ['in another zone', { updatedAfter: '1970-01-01T02:00:02.000+02:00' }, ['c3']],
    ['with a title', { updatedAfter: time(2000), title: 'title' }, ['c3']],
    ['of one user', { updatedAfter: time(1999), userId: 'local' }, ['c1', 'c2', 'c3']],
  ])('%s', async (_, filter, expected) => {
    expect(await found(filter)).toEqual(expected);
  });

  it('bounds pages and their hasNextPage and hasPreviousPage', async () => {
    const filter = { updatedAfter: time(1000), updatedBefore: time(3000) };
    const first = await page(filter, { first: 1 });
    expect(first).toMatchObject({ ids: ['c2'], pageInfo: { hasNextPage: true, hasPreviousPage: false } });
    const second = await page(filter, { first: 1, after: first.cursors[0] });
    expect(second).toMatchObject({ ids: ['c1'], pageInfo: { hasNextPage: false, hasPreviousPage: true } });
    const back = await page(filter, { last: 2, before: second.cursors[0] });
    expect(back).toMatchObject({ ids: ['c2'], pageInfo: { hasNextPage: true, hasPreviousPage: false } });
  });

  it.each([
    'yesterday',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-21T09:30:00+99:99',
    '2026-11-21',
    '2026-11-21T09:30:00',
    '2026-11-21T24:00:00Z',
    1000,
    true,
  ])('is refused unless it is a time: %s', async (updatedAfter) => {
    const { errors } = await ask('local', CHATS, { filter: { updatedAfter } });
    expect(errors?.[0]?.message).toContain('DateTime cannot represent');
  });
});
