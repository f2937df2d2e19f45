/** The tokens of users by month. */
import { beforeEach, describe, expect, it } from 'vitest';
import { forked } from '../../support/chats/forks.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { emptyDatabaseUrl } from '../../support/database/temporary-database.js';
import { openParley, type Parley } from '../../support/server/parley.js';

let parley: Parley;
beforeEach(async () => {
  parley = await openParley({ databaseUrl: emptyDatabaseUrl() });
});

interface Row {
  month: string;
  userId: string;
  usage: { model: string | null; messages: number; inputTokens: number | null; outputTokens: number | null };
}

async function run<T>(userId: string, document: string, variables: object = {}): Promise<T> {
  const response = await parley.post(JSON.stringify({ query: document, variables }), { 'x-user-id': userId });
  const { data, errors } = (await response.json()) as { data: Record<string, T>; errors?: object[] };
  expect(errors).toBeUndefined();
  return Object.values(data)[0]!;
}

async function usage(filter = ''): Promise<Row[]> {
  const fields = 'month userId usage { model messages inputTokens outputTokens }';
  const { edges } = await run<{ edges: { node: Row }[] }>(
    'local',
    `{ monthlyUsage(first: 100 ${filter}) { edges { node { ${fields} } } } }`,
  );
  return edges.map(({ node }) => node);
}

const create = (userId: string, id: string) =>
  run(userId, `mutation { createChat(input: { id: "${id}" }) { __typename } }`);

async function save(userId: string, chatId: string, ...messages: object[]): Promise<void> {
  const document = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
  expect(await run(userId, document, { input: { chatId, messages } })).toEqual({ __typename: 'SaveMessagesPayload' });
}

const answer = (id: string, model: string | undefined, tokens: object) => {
  const metadata = { ...(model !== undefined && { model }), usage: tokens };
  return { id, name: 'assistant', content: { data: { parts: [], metadata } } };
};

const month = () => new Date().toISOString().slice(0, 7);

describe('monthlyUsage', () => {
  it('sums saved messages by the owner of the chat and the model', async () => {
    await create('ann', 'a');
    await run('ann', 'mutation { addMember(input: { chatId: "a", userId: "bob", role: WRITER }) { __typename } }');
    await save(
      'ann',
      'a',
      answer('1', 'm', { inputTokens: 10 }),
      answer('2', 'n', { inputTokens: 1, outputTokens: 2 }),
    );
    await save(
      'bob',
      'a',
      answer('3', 'm', { inputTokens: 5, outputTokens: 7 }),
      answer('4', undefined, { inputTokens: 3 }),
    );
    await save('ann', 'a', { id: '5', name: 'user', content: { text: 'none' } });
    const own = '{ monthlyUsage { edges { node { userId usage { model } } } } }';
    expect(await run('bob', own)).toEqual({ edges: [] });
    expect(await run<{ edges: object[] }>('ann', own)).toMatchObject({ edges: [{}, {}, {}] });
    expect(await usage()).toEqual([
      { month: month(), userId: 'ann', usage: { model: null, messages: 1, inputTokens: 3, outputTokens: null } },
      { month: month(), userId: 'ann', usage: { model: 'm', messages: 2, inputTokens: 15, outputTokens: 7 } },
      { month: month(), userId: 'ann', usage: { model: 'n', messages: 1, inputTokens: 1, outputTokens: 2 } },
    ]);
  });

  it('counts a repeated save once, and keeps deleted and transferred messages', async () => {
    await create('ann', 'a');
    for (let time = 0; time < 2; time++) await save('ann', 'a', answer('1', 'm', { inputTokens: 10 }));
    await run('local', 'mutation { transferChat(input: { chatId: "a", userId: "bob" }) { __typename } }');
    await save('bob', 'a', answer('2', 'm', { inputTokens: 4 }));
    await run('bob', 'mutation { deleteChat(input: { chatId: "a" }) { __typename } }');
    expect((await usage()).map(({ userId, usage: { inputTokens } }) => [userId, inputTokens])).toEqual([
      ['ann', 10],
      ['bob', 4],
    ]);
  });

  it('counts a finished draft, and no forked messages', async () => {
    await create('local', 'a');
    const metadata = '{ model: "m", usage: { inputTokens: 6 } }';
    await run('local', 'mutation { startDraft(input: { chatId: "a", id: "d" }) { __typename } }');
    await run(
      'local',
      'mutation { appendToDraft(input: { chatId: "a", id: "d", offset: 0, chunks: ["x"] }) { __typename } }',
    );
    await run(
      'local',
      `mutation { finishDraft(input: { chatId: "a", id: "d", content: { data: { parts: [], metadata: ${metadata} } } }) { __typename } }`,
    );
    await forked(parley, { chatId: 'a' });
    expect((await usage()).map((row) => row.usage)).toEqual([
      { model: 'm', messages: 1, inputTokens: 6, outputTokens: null },
    ]);
  });

  it('adds up concurrent saves in several chats', async () => {
    const chats = Array.from({ length: 12 }, (_, n) => `c${n}`);
    await Promise.all(chats.map((id) => create('ann', id)));
    await Promise.all(
      chats.map((id, n) =>
        save('ann', id, ...['m', 'n', 'o'].map((model) => answer(`${id}${model}`, model, { inputTokens: n }))),
      ),
    );
    expect((await usage()).map((row) => [row.usage.model, row.usage.messages, row.usage.inputTokens])).toEqual(
      ['m', 'n', 'o'].map((model) => [model, 12, 66]),
    );
  });

  it('ignores spaces at the end of a model', async () => {
    await create('ann', 'a');
    await save('ann', 'a', answer('1', 'm ', { inputTokens: 1 }), answer('2', 'm', { inputTokens: 2 }));
    expect((await usage()).map((row) => row.usage)).toEqual([
      { model: 'm', messages: 2, inputTokens: 3, outputTokens: null },
    ]);
  });

  it('filters by month and user, and pages in both directions', async () => {
    const database = await rawDatabase(parley.databaseUrl);
    const stored = ['2026-01', '2026-02', '2026-03'].flatMap((at) => ['ann', 'bob'].map((userId) => [at, userId]));
    for (const [n, [at, userId]] of stored.entries()) {
      await database.run(
        `INSERT INTO monthly_usage ("id", "month", "userId", "model", "messages") VALUES ('${n}', '${at}', '${userId}', 'm:1', 1)`,
      );
    }
    const found = async (filter: string) => (await usage(filter)).map((row) => [row.month, row.userId]);
    expect(await found('')).toEqual(stored);
    expect(await found('from: "2026-02"')).toEqual(stored.slice(2));
    expect(await found('from: "2026-02", to: "2026-02"')).toEqual(stored.slice(2, 4));
    expect(await found('userId: "bob"')).toEqual(stored.filter(([, userId]) => userId === 'bob'));
    expect(await found('userId: ""')).toEqual([]);
    const page = (asked: string) =>
      run<{ edges: { node: Row; cursor: string }[]; pageInfo: object }>(
        'local',
        `{ monthlyUsage(${asked}) { edges { cursor node { month userId } } pageInfo { hasNextPage hasPreviousPage } } }`,
      );
    const first = await page('first: 4');
    expect(first.pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: false });
    const { cursor } = first.edges.at(-1)!;
    const rest = await page(`first: 4, after: "${cursor}"`);
    expect(rest.edges.map(({ node }) => [node.month, node.userId])).toEqual(stored.slice(4));
    const before = await page(`last: 2, before: "${cursor}"`);
    expect(before.edges.map(({ node }) => [node.month, node.userId])).toEqual(stored.slice(1, 3));
  });

  it.each([
    ['ann', '(userId: "bob")', 'userId: only an admin may read the usage of another user'],
    ['local', '(from: "2026-13")', 'from must be a month such as 2026-11'],
    ['local', '(to: "2026-1")', 'to must be a month such as 2026-11'],
    ['local', '(after: "x")', 'after is not a cursor of this list'],
  ])('refuses %s with %j', async (userId, args, message) => {
    const query = `{ monthlyUsage${args} { edges { cursor } } }`;
    const response = await parley.post(JSON.stringify({ query }), { 'x-user-id': userId });
    expect(await response.json()).toMatchObject({ errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }] });
  });
});
