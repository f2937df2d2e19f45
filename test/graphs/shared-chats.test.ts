/** Chats of others in lists and searches. */
import { describe, expect, it } from 'vitest';
import { addMemberRow } from '../support/chats/members.js';
import { rawDatabase } from '../support/database/raw-database.js';
import { bearer } from '../support/server/tokens.js';
import { startWithChats, type Headers, type TokenServer } from '../auth/access-tokens.js';

const LIST = `query ($filter: ChatFilter, $first: Int, $after: String, $last: Int, $before: String) {
  chats(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
    totalCount edges { node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;
const SEARCH = `query ($filter: SearchFilter) {
  search(query: "words", filter: $filter) { edges { node { message { id chat { id } } } } }
}`;

interface Page {
  totalCount: number;
  edges: { node: { id: string } }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
}

async function page({ as }: TokenServer, headers: Headers, variables: object): Promise<Page> {
  const { data, errors } = await as(headers, LIST, variables);
  expect(errors).toBeUndefined();
  return data!['chats'] as Page;
}

/** The ids of a list, which has all of them on one page. */
async function listed(server: TokenServer, headers: Headers, filter?: object): Promise<string[]> {
  const { edges, totalCount } = await page(server, headers, { filter });
  expect(totalCount).toBe(edges.length);
  return edges.map(({ node }) => node.id);
}

async function found({ as }: TokenServer, headers: Headers, filter?: object): Promise<string[]> {
  const { data, errors } = await as(headers, SEARCH, { filter });
  expect(errors).toBeUndefined();
  const { edges } = data!['search'] as { edges: { node: { message: { id: string } } }[] };
  return edges.map(({ node }) => node.message.id).sort();
}

const includeShared = true;

describe('chats of others', () => {
  it('are listed with includeShared only, while the viewer is a member', async () => {
    const server = await startWithChats();
    const [alice, bob] = [await bearer('alice'), await bearer('bob')];
    const { remove } = await addMemberRow(server.databaseUrl, 'one', 'bob');
    for (const filter of [undefined, {}, { includeShared: false }, { mine: true }]) {
      expect({ filter, ids: await listed(server, bob, filter) }).toEqual({ filter, ids: ['other'] });
    }
    expect(await listed(server, bob, { includeShared })).toEqual(['other', 'one']);
    expect(await listed(server, bob, { includeShared, mine: true })).toEqual(['other', 'one']);
    // The owner and users without a role see no more than before.
    expect(await listed(server, alice, { includeShared })).toEqual(['two', 'one']);
    expect(await listed(server, await bearer('carol'), { includeShared })).toEqual([]);
    await remove();
    expect(await listed(server, bob, { includeShared })).toEqual(['other']);
  });

  it('are filtered and counted like own chats', async () => {
    const server = await startWithChats();
    const bob = await bearer('bob');
    for (const chatId of ['one', 'two']) await addMemberRow(server.databaseUrl, chatId, 'bob');
    const update = (id: string, user: Headers) =>
      server.as(
        user,
        `mutation { updateChat(input: { chatId: "${id}", title: "Green tea", metadata: { a: 1 } }) { __typename } }`,
      );
    await update('one', await bearer('alice'));
    await update('other', bob);
    for (const filter of [{ title: 'tea' }, { metadata: [{ key: 'a', equals: 1 }] }]) {
      expect(await listed(server, bob, { ...filter, includeShared })).toEqual(['other', 'one']);
      expect(await listed(server, bob, filter)).toEqual(['other']);
    }
    expect(await listed(server, bob, { title: 'coffee', includeShared })).toEqual([]);
    expect(await listed(server, bob, { updatedBefore: '2001-01-01T00:00:00Z', includeShared })).toEqual([]);
  });

  it('are in the order of the list, on pages in both directions', async () => {
    const server = await startWithChats();
    const bob = await bearer('bob');
    const create = async (userId: string, id: string) =>
      server.as(await bearer(userId), `mutation { createChat(input: { id: "${id}" }) { __typename } }`);
    for (const n of [0, 1, 2, 3]) {
      await create('bob', `bob-${n}`);
      await create('alice', `alice-${n}`);
      await addMemberRow(server.databaseUrl, `alice-${n}`, 'bob');
    }
    // The same time for some, so that ids decide.
    const database = await rawDatabase(server.databaseUrl);
    await database.run(`UPDATE chats SET "updatedAt" = 5 WHERE "id" IN ('bob-1', 'bob-2', 'alice-1', 'alice-2')`);
    await database.run(`UPDATE chats SET "updatedAt" = 7 WHERE "id" IN ('alice-3', 'other')`);
    await database.run(`UPDATE chats SET "updatedAt" = 9 WHERE "id" IN ('bob-3', 'alice-0', 'bob-0')`);
    const order = 'bob-3 bob-0 alice-0 other alice-3 bob-2 bob-1 alice-2 alice-1'.split(' ');
    const filter = { includeShared };
    expect(await listed(server, bob, filter)).toEqual(order);
    for (const size of [1, 2, 4]) {
      const forwards: string[] = [];
      for (let after: string | null = null; ;) {
        const { edges, pageInfo, totalCount } = await page(server, bob, { filter, first: size, after });
        expect([totalCount, pageInfo.hasPreviousPage]).toEqual([9, after !== null]);
        forwards.push(...edges.map(({ node }) => node.id));
        after = pageInfo.endCursor;
        if (!pageInfo.hasNextPage) break;
      }
      const backwards: string[] = [];
      for (let before: string | null = null; ;) {
        const { edges, pageInfo } = await page(server, bob, { filter, last: size, before });
        expect(pageInfo.hasNextPage).toBe(before !== null);
        backwards.unshift(...edges.map(({ node }) => node.id));
        before = pageInfo.startCursor;
        if (!pageInfo.hasPreviousPage) break;
      }
      expect([forwards, backwards]).toEqual([order, order]);
    }
  });

  it('are searched with includeShared, and when the client names one', async () => {
    const server = await startWithChats();
    const bob = await bearer('bob');
    const { remove } = await addMemberRow(server.databaseUrl, 'one', 'bob');
    expect(await found(server, bob)).toEqual(['other-1']);
    expect(await found(server, bob, { includeShared })).toEqual(['one-1', 'other-1']);
    expect(await found(server, bob, { includeShared, names: ['user'] })).toEqual(['one-1', 'other-1']);
    expect(await found(server, bob, { includeShared, names: ['assistant'] })).toEqual([]);
    expect(await found(server, bob, { chatId: 'one' })).toEqual(['one-1']);
    expect(await found(server, bob, { chatId: 'one', userId: 'bob' })).toEqual([]);
    expect(await found(server, bob, { chatId: 'one', userId: 'bob', includeShared })).toEqual(['one-1']);
    expect(await found(server, bob, { chatId: 'two', includeShared })).toEqual([]);
    expect(await found(server, await bearer('alice'), { includeShared })).toEqual(['one-1', 'two-1']);
    await remove();
    expect(await found(server, bob, { includeShared })).toEqual(['other-1']);
    expect(await found(server, bob, { chatId: 'one' })).toEqual([]);
  });

  it('are searched in up to 1,000 chats, those that changed last', async () => {
    const server = await startWithChats();
    const database = await rawDatabase(server.databaseUrl);
    await addMemberRow(server.databaseUrl, 'one', 'bob');
    await addMemberRow(server.databaseUrl, 'two', 'bob');
    await database.run(`UPDATE chats SET "updatedAt" = 3 WHERE "id" = 'one'`);
    // Copies of a chat without its messages, all changed after it.
    const digits = '(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4)';
    const { columns, values } = copiedColumns(await database.rows(`SELECT * FROM chats WHERE "id" = 'two'`));
    await database.run(`INSERT INTO chats (${columns})
      SELECT ${values} FROM chats c
      CROSS JOIN ${digits} p CROSS JOIN ${digits} q CROSS JOIN ${digits} r CROSS JOIN ${digits} s CROSS JOIN ${digits} t
      WHERE c."id" = 'two' AND t.d < 2 AND s.d < 4`);
    await database.run(`INSERT INTO chat_members ("chatId", "userId", "role", "addedAt", "addedBy")
      SELECT "id", 'bob', 'READER', 0, 'alice' FROM chats WHERE "id" LIKE 'copy-%'`);
    const bob = await bearer('bob');
    expect((await page(server, bob, { filter: { includeShared }, first: 1 })).totalCount).toBe(1_003);
    expect(await found(server, bob, { includeShared })).toEqual(['other-1', 'two-1']);
    await database.run(`UPDATE chats SET "updatedAt" = "updatedAt" + 9 WHERE "id" = 'one'`);
    expect(await found(server, bob, { includeShared })).toEqual(['one-1', 'other-1', 'two-1']);
  });

  it('are those of a user for an admin that names the user', async () => {
    const server = await startWithChats();
    const admin = await bearer('root', true);
    await addMemberRow(server.databaseUrl, 'one', 'root');
    await addMemberRow(server.databaseUrl, 'two', 'bob');
    for (const filter of [{}, { includeShared }]) {
      expect(await listed(server, admin, filter)).toEqual(['other', 'two', 'one']);
      expect(await found(server, admin, filter)).toEqual(['one-1', 'other-1', 'two-1']);
    }
    expect(await listed(server, admin, { includeShared, mine: true })).toEqual(['one']);
    expect(await found(server, admin, { includeShared, userId: 'root' })).toEqual(['one-1']);
    expect(await found(server, admin, { includeShared, userId: 'root', chatId: 'two' })).toEqual([]);
    expect(await listed(server, admin, { includeShared, userId: 'bob' })).toEqual(['other', 'two']);
    expect(await found(server, admin, { includeShared, userId: 'bob' })).toEqual(['other-1', 'two-1']);
    expect(await found(server, admin, { includeShared, userId: 'bob', chatId: 'two' })).toEqual(['two-1']);
    expect(await found(server, admin, { includeShared, userId: 'bob', chatId: 'one' })).toEqual([]);
  });
});

describe('a chat of another user', () => {
  it('gives its files to members', async () => {
    const server = await startWithChats();
    const [alice, bob] = [await bearer('alice'), await bearer('bob')];
    const init = { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: 'a text' };
    const { id } = (await (await server.route(alice, '/files?name=a.txt', init)).json()) as { id: string };
    const data = { role: 'user', parts: [{ type: 'file', mediaType: 'text/plain', url: `parley:file:${id}` }] };
    const save = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
    await server.as(alice, save, {
      input: { chatId: 'one', messages: [{ id: 'one-2', name: 'user', content: { data } }] },
    });
    const statuses = () =>
      Promise.all(['', '?message=one-2'].map(async (end) => (await server.route(bob, `/files/${id}${end}`)).status));
    expect(await statuses()).toEqual([404, 404]);
    const { remove } = await addMemberRow(server.databaseUrl, 'one', 'bob');
    expect(await statuses()).toEqual([200, 200]);
    await remove();
    expect(await statuses()).toEqual([404, 404]);
  });
});

/** Columns of a row, and their values in copies whose ids are made of five digits p, q, r, s and t. */
function copiedColumns([row]: Record<string, unknown>[]) {
  const names = Object.keys(row!);
  const id = `CONCAT('copy-', p.d, q.d, r.d, s.d, t.d)`;
  const values = names.map((name) => (name === 'id' ? id : name === 'updatedAt' ? '4 + p.d' : `c."${name}"`));
  return { columns: names.map((name) => `"${name}"`).join(), values: values.join() };
}
