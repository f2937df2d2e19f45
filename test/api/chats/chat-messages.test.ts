/** All messages of a chat as one list, and the newest message on its active branch. */
import { beforeEach, describe, expect, it, test } from 'vitest';
import { createChat, save, userMessage } from '../../support/chats/operations.js';
import { openParley, type Parley } from '../../support/server/parley.js';

interface Page {
  totalCount: number;
  pageInfo: { hasPreviousPage: boolean; hasNextPage: boolean };
  edges: { cursor: string; node: { id: string; seq: number; text: string } }[];
}

let parley: Parley;
/** A chat of m0 to m4, with another answer to m1, and another chat. */
beforeEach(async () => {
  parley = await openParley();
  for (const chatId of ['c', 'd', 'empty']) await createChat(parley, chatId);
  await save(parley, { chatId: 'c', messages: Array.from({ length: 5 }, (_, n) => userMessage(`m${n}`)) });
  await save(parley, { chatId: 'd', messages: [userMessage('d0'), userMessage('d1')] });
  await parley.ask(
    'mutation { rewind(input: { chatId: "c", at: { message: "m1" }, branchName: "fork" }) { __typename } }',
  );
  await save(parley, { chatId: 'c', messages: [userMessage('f2'), userMessage('f3')] });
});

const ALL = ['m0', 'm1', 'm2', 'm3', 'm4', 'f2', 'f3'];

async function ask(args = '', id = 'c') {
  const page = 'totalCount pageInfo { hasPreviousPage hasNextPage } edges { cursor node { id seq text } }';
  const { data, errors } = await parley.ask(`{ chat(id: "${id}") { messages${args} { ${page} } } }`);
  return { page: (data?.['chat'] as { messages: Page } | null | undefined)?.messages as Page, errors };
}

async function idsOf(args?: string, id?: string): Promise<string[]> {
  return (await ask(args, id)).page.edges.map(({ node }) => node.id);
}

describe('the messages of a chat', () => {
  it('are those of all branches in the order of saving', async () => {
    const { page } = await ask();
    expect(page.edges.map(({ node }) => node)).toEqual(
      ALL.map((id, n) => ({ id, seq: n + 1, text: userMessage(id).content.text })),
    );
    expect(page).toMatchObject({ totalCount: 7, pageInfo: { hasPreviousPage: false, hasNextPage: false } });
    expect((await ask('', 'empty')).page).toMatchObject({ totalCount: 0, edges: [] });
  });

  it('are paged from every message and from either end', async () => {
    const { edges } = (await ask()).page;
    for (const [n, { cursor }] of edges.entries()) {
      const behind = (await ask(`(first: 2, after: "${cursor}")`)).page;
      expect(behind.edges.map(({ node }) => node.id)).toEqual(ALL.slice(n + 1, n + 3));
      expect(behind).toMatchObject({ totalCount: 7, pageInfo: { hasPreviousPage: true, hasNextPage: n < 4 } });
      const before = (await ask(`(last: 2, before: "${cursor}")`)).page;
      expect(before.edges.map(({ node }) => node.id)).toEqual(ALL.slice(Math.max(0, n - 2), n));
      expect(before.pageInfo).toEqual({ hasPreviousPage: n > 2, hasNextPage: true });
    }
    expect(await idsOf('(last: 2)')).toEqual(['f2', 'f3']);
  });

  it('have cursors that stay valid when messages are added', async () => {
    const { cursor } = (await ask('(last: 1)')).page.edges[0]!;
    await save(parley, { chatId: 'c', messages: [userMessage('f4')] });
    expect(await idsOf(`(first: 5, after: "${cursor}")`)).toEqual(['f4']);
  });
});

describe('the newest message of a chat', () => {
  const lastOf = async () => {
    const { data, errors } = await parley.ask('{ chats { edges { node { id lastMessage { id text } } } } }');
    expect(errors).toBeUndefined();
    const { edges } = data!['chats'] as { edges: { node: { id: string; lastMessage: { id: string } | null } }[] };
    return Object.fromEntries(edges.map(({ node }) => [node.id, node.lastMessage?.id ?? null]));
  };

  test('is the newest on its active branch, and null on an empty branch', async () => {
    expect(await lastOf()).toEqual({ c: 'f3', d: 'd1', empty: null });
    await parley.ask('mutation { switchBranch(input: { chatId: "c", name: "main" }) { __typename } }');
    expect(await lastOf()).toEqual({ c: 'm4', d: 'd1', empty: null });
  });
});
