/** The list of chat owners for admins. */
import { beforeAll, describe, expect, it } from 'vitest';
import { startParley, type Parley } from '../../support/server/parley.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { temporaryDatabase } from '../../support/database/temporary-database.js';

interface User {
  id: string;
  chatCount: number;
  messageCount: number;
  lastActiveAt: string;
}
interface Users {
  totalCount: number;
  edges: { cursor: string; node: User }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean };
}
interface Answer {
  data?: { users: Users } | null;
  errors?: { message: string; extensions: { code: string } }[];
}

const USERS = `query ($search: String, $first: Int, $last: Int, $after: String, $before: String) {
  users(search: $search, first: $first, last: $last, after: $after, before: $before) {
    totalCount edges { cursor node { id chatCount messageCount lastActiveAt } } pageInfo { hasNextPage hasPreviousPage }
  }
}`;

/** Chats, and messages in each, by users; the newest last. */
const CHATS: [userId: string, messages: number][] = [
  ['dora', 2],
  ['anna@example.org', 3],
  ['Anna_%[', 0],
  ['dora', 5],
  ["o'hara", 1],
  ['anna@example.org', 1],
];
const NEWEST_FIRST = ['anna@example.org', "o'hara", 'dora', 'Anna_%['];

let parley: Parley;

async function ask(userId: string, query: string, variables: object = {}): Promise<Answer> {
  const response = await parley.post(JSON.stringify({ query, variables }), { 'x-user-id': userId });
  return (await response.json()) as Answer;
}

async function users(args: object = {}): Promise<Users> {
  const { data, errors } = await ask('local', USERS, args);
  expect(errors).toBeUndefined();
  return data!.users;
}

const idsOf = ({ edges }: Users) => edges.map(({ node }) => node.id);

beforeAll(async () => {
  const database = await temporaryDatabase();
  const started = await startParley({ databaseUrl: database.url });
  parley = started.parley;
  for (const [n, [userId, count]] of CHATS.entries()) {
    const save = {
      chatId: `c${n}`,
      messages: Array.from({ length: count }, (_, m) => ({ name: 'user', content: { text: `${m}` } })),
    };
    const { errors } = await ask(
      'local',
      `mutation ($chat: CreateChatInput!, $save: SaveMessagesInput!, $isEmpty: Boolean!) {
        createChat(input: $chat) { __typename }
        saveMessages(input: $save) @skip(if: $isEmpty) { __typename }
      }`,
      { chat: { id: `c${n}`, userId }, save, isEmpty: count === 0 },
    );
    expect(errors).toBeUndefined();
  }
  return async () => {
    await started.stop();
    await database.remove();
  };
});

/** Gives each chat a distinct time. */
async function settle(): Promise<void> {
  const database = await rawDatabase(parley.databaseUrl);
  for (const n of CHATS.keys()) await database.run(`UPDATE chats SET "updatedAt" = ${1000 + n} WHERE "id" = 'c${n}'`);
}

describe('an admin sees', () => {
  it('users with chats, newest change first', async () => {
    await settle();
    const found = await users();
    expect(found.edges.map(({ node }) => node)).toEqual([
      { id: 'anna@example.org', chatCount: 2, messageCount: 4, lastActiveAt: new Date(1005).toISOString() },
      { id: "o'hara", chatCount: 1, messageCount: 1, lastActiveAt: new Date(1004).toISOString() },
      { id: 'dora', chatCount: 2, messageCount: 7, lastActiveAt: new Date(1003).toISOString() },
      { id: 'Anna_%[', chatCount: 1, messageCount: 0, lastActiveAt: new Date(1002).toISOString() },
    ]);
    expect(found).toMatchObject({ totalCount: 4, pageInfo: { hasNextPage: false, hasPreviousPage: false } });
  });

  it('pages from every position and from either end', async () => {
    await settle();
    const { edges } = await users();
    for (const [n, { cursor }] of edges.entries()) {
      const behind = await users({ first: 2, after: cursor });
      expect(idsOf(behind)).toEqual(NEWEST_FIRST.slice(n + 1, n + 3));
      expect(behind).toMatchObject({ totalCount: 4, pageInfo: { hasNextPage: n < 1, hasPreviousPage: true } });
      const before = await users({ last: 2, before: cursor });
      expect(idsOf(before)).toEqual(NEWEST_FIRST.slice(Math.max(0, n - 2), n));
      expect(before.pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: n > 2 });
    }
  });

  it('users with equal times once each', async () => {
    const database = await rawDatabase(parley.databaseUrl);
    await database.run('UPDATE chats SET "updatedAt" = 1000');
    const seen: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await users({ first: 1, ...(after !== undefined && { after }) });
      seen.push(...idsOf(page));
      after = page.edges[0]?.cursor;
      if (!page.pageInfo.hasNextPage) break;
    }
    expect(seen.sort()).toEqual(NEWEST_FIRST.toSorted());
    expect(idsOf(await users({ last: 9 })).sort()).toEqual(seen);
  });

  it('no chats that are being removed', async () => {
    await settle();
    const database = await rawDatabase(parley.databaseUrl);
    await database.run(`UPDATE chats SET "userId" = '' WHERE "id" IN ('c4', 'c5')`);
    const found = await users();
    expect(found.edges.map(({ node: { id, chatCount } }) => [id, chatCount])).toEqual([
      ['dora', 2],
      ['Anna_%[', 1],
      ['anna@example.org', 1],
    ]);
    expect(found.totalCount).toBe(3);
    await database.run(`UPDATE chats SET "userId" = 'o''hara' WHERE "id" = 'c4'`);
    await database.run(`UPDATE chats SET "userId" = 'anna@example.org' WHERE "id" = 'c5'`);
  });
});

describe('a search finds', () => {
  it.each([
    ['the beginning of an id', 'dor', ['dora']],
    ['the end of an id', 'example.org', ['anna@example.org']],
    ['a complete id', 'dora', ['dora']],
    ['letters case-sensitively', 'Anna', ['Anna_%[']],
    ['pattern characters of databases', '_%[', ['Anna_%[']],
    ['quotes', "o'", ["o'hara"]],
    ['nothing', 'nobody', []],
    ['nothing for a text longer than an id', 'x'.repeat(300), []],
    ['nothing for characters that ids cannot contain', '\0', []],
    ['all users by spaces', '  ', NEWEST_FIRST],
    ['an id in spaces', ' dora ', ['dora']],
  ])('%s', async (_, search, expected) => {
    await settle();
    const found = await users({ search });
    expect(idsOf(found)).toEqual(expected);
    expect(found.totalCount).toBe(expected.length);
  });
});

it('other users are refused', async () => {
  for (const variables of [{}, { search: 'dora' }, { search: 'nobody' }]) {
    parley.takeStatements();
    const { data, errors } = await ask('dora', USERS, variables);
    expect(data).toBeNull();
    expect(errors).toMatchObject([
      { message: 'users: only an admin may list users', extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    expect(parley.takeStatements()).toEqual([]);
  }
});

it('a page takes three statements for any number of users', async () => {
  for (const first of [1, 4]) {
    parley.takeStatements();
    await users({ first });
    expect(parley.takeStatements()).toHaveLength(3);
  }
});
