/** Pages of paths: of a branch, of any message, and around one. */
import { beforeEach, describe, expect, test } from 'vitest';
import { createChat, save, userMessage } from '../support/chats/operations.js';
import { openParley, type Parley } from '../support/server/parley.js';

let parley: Parley;
/** A chat with the branch main, m0 to m8, and the active branch m0 to m3 and f4 to f8; and another chat. */
beforeEach(async () => {
  parley = await openParley();
  for (const chatId of ['c', 'd']) await createChat(parley, chatId);
  await save(parley, { chatId: 'c', messages: Array.from({ length: 9 }, (_, n) => userMessage(`m${n}`)) });
  await save(parley, { chatId: 'd', messages: [userMessage('d0'), userMessage('d1')] });
  await parley.ask(
    'mutation { rewind(input: { chatId: "c", at: { message: "m3" }, branchName: "fork" }) { __typename } }',
  );
  await save(parley, { chatId: 'c', messages: Array.from({ length: 5 }, (_, n) => userMessage(`f${n + 4}`)) });
});

const PAGE =
  '{ totalCount pageInfo { hasPreviousPage hasNextPage startCursor endCursor } edges { cursor node { id } } }';

interface Page {
  totalCount: number;
  pageInfo: { hasPreviousPage: boolean; hasNextPage: boolean; startCursor: string | null; endCursor: string | null };
  edges: { cursor: string; node: { id: string } }[];
}

interface Answer {
  page: Page;
  errors: readonly { message: string; extensions?: object }[] | undefined;
  statements: number;
}

const PATHS = {
  main: (args: string) => `{ chat(id: "c") { of: branch(name: "main") { page: messages${args} ${PAGE} } } }`,
  active: (args: string) => `{ chat(id: "c") { of: activeBranch { page: messages${args} ${PAGE} } } }`,
  m8: (args: string) => `{ chat(id: "c") { of: message(id: "m8") { page: path${args} ${PAGE} } } }`,
  f8: (args: string) => `{ chat(id: "c") { of: message(id: "f8") { page: path${args} ${PAGE} } } }`,
  d: (args: string) => `{ chat(id: "d") { of: activeBranch { page: messages${args} ${PAGE} } } }`,
};
type Path = keyof typeof PATHS;

async function ask(path: Path, args = ''): Promise<Answer> {
  parley.takeStatements();
  const { data, errors } = await parley.ask(PATHS[path](args && `(${args})`));
  const { chat } = (data ?? {}) as { chat?: { of: { page: Page } | null } | null };
  return { page: chat?.of?.page as Page, errors, statements: parley.takeStatements().length };
}

async function idsOf(path: Path, args?: string): Promise<string[]> {
  const { page, errors } = await ask(path, args);
  expect(errors).toBeUndefined();
  return page.edges.map(({ node }) => node.id);
}

async function cursorOf(path: Path, id: string): Promise<string> {
  return (await ask(path)).page.edges.find(({ node }) => node.id === id)!.cursor;
}

const MAIN = ['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8'];
const FORK = [...MAIN.slice(0, 4), 'f4', 'f5', 'f6', 'f7', 'f8'];

const elsewhere = (argument: string) => [
  {
    message: `${argument} is a cursor of another list of this kind`,
    extensions: { code: 'BAD_USER_INPUT', reason: 'CURSOR_ELSEWHERE' },
  },
];

describe('the path of a message', () => {
  test('is paged like a branch, also without a branch', async () => {
    expect(await idsOf('m8')).toEqual(MAIN);
    expect(await idsOf('m8', 'first: 2')).toEqual(['m0', 'm1']);
    expect(await idsOf('m8', 'last: 2')).toEqual(['m7', 'm8']);
    expect(await ask('m8', 'first: 3')).toEqual(
      await ask('main', 'first: 3').then((answer) => ({ ...answer, statements: expect.any(Number) as number })),
    );
    const root = await parley.ask('{ message(id: "m0") { path(first: 5) { totalCount edges { node { id } } } } }');
    expect(root).toEqual({ data: { message: { path: { totalCount: 1, edges: [{ node: { id: 'm0' } }] } } } });
  });
});

describe('a cursor of a path', () => {
  test('continues in both directions to the ends', async () => {
    const cursor = await cursorOf('main', 'm4');
    const after = await ask('main', `first: 2, after: "${cursor}"`);
    expect(after.page.edges.map(({ node }) => node.id)).toEqual(['m5', 'm6']);
    expect(after.page.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: true });
    const before = await ask('main', `last: 9, before: "${cursor}"`);
    expect(before.page.edges.map(({ node }) => node.id)).toEqual(['m0', 'm1', 'm2', 'm3']);
    expect(before.page.pageInfo).toMatchObject({ hasPreviousPage: false, hasNextPage: true });
    expect(await idsOf('main', `after: "${await cursorOf('main', 'm8')}"`)).toEqual([]);
    expect(await idsOf('main', `after: "${cursor}", before: "${await cursorOf('main', 'm7')}"`)).toEqual(['m5', 'm6']);
    expect(await idsOf('main', `after: "${cursor}", before: "${await cursorOf('main', 'm2')}"`)).toEqual([]);
  });

  test('names its message on any branch', async () => {
    expect(await cursorOf('active', 'm3')).toBe(await cursorOf('main', 'm3'));
    expect(await cursorOf('f8', 'm3')).toBe(await cursorOf('main', 'm3'));
    expect(await idsOf('active', `first: 2, after: "${await cursorOf('main', 'm3')}"`)).toEqual(['f4', 'f5']);
    const all = (await Promise.all(Object.keys(PATHS).map((path) => ask(path as Path)))).flatMap(
      ({ page }) => page.edges,
    );
    const messageOf = new Map(all.map(({ cursor, node }) => [cursor, node.id]));
    expect(messageOf.size).toBe(new Set(messageOf.values()).size);
  });

  test.each(['after', 'before'])('of a message outside the path is refused as %s', async (argument) => {
    for (const [path, id, other] of [
      ['main', 'm4', 'active'],
      ['main', 'm8', 'f8'],
      ['active', 'f4', 'main'],
      ['m8', 'm4', 'd'],
      ['d', 'd0', 'main'],
    ] as const) {
      const { page, errors } = await ask(other, `${argument}: "${await cursorOf(path, id)}"`);
      expect({ other, page, errors }).toMatchObject({ other, page: undefined, errors: elsewhere(argument) });
    }
  });

  test('is refused after a switch of the active branch', async () => {
    await parley.ask('mutation { switchBranch(input: { chatId: "c", name: "main" }) { __typename } }');
    const { pageInfo } = (await ask('active', 'first: 6')).page;
    await parley.ask('mutation { switchBranch(input: { chatId: "c", name: "fork" }) { __typename } }');
    expect((await ask('active', `first: 6, after: "${pageInfo.endCursor}"`)).errors).toMatchObject(elsewhere('after'));
  });

  test('below the head of a branch is refused, also on an empty branch', async () => {
    await parley.ask('mutation { rewind(input: { chatId: "c", at: { message: "m1" } }) { __typename } }');
    const cursor = await cursorOf('main', 'm4');
    expect((await ask('active', `after: "${cursor}"`)).errors).toMatchObject(elsewhere('after'));
    await createChat(parley, 'empty');
    const empty = await parley.ask(`{ chat(id: "empty") { activeBranch { messages(after: "${cursor}") ${PAGE} } } }`);
    expect(empty.errors).toMatchObject(elsewhere('after'));
  });

  test('takes one more statement, for both ends and any number of branches', async () => {
    const [none, one, both] = [
      await ask('main'),
      await ask('main', `after: "${await cursorOf('main', 'm1')}"`),
      await ask('main', `after: "${await cursorOf('main', 'm1')}", before: "${await cursorOf('main', 'm6')}"`),
    ];
    expect([one.statements, both.statements]).toEqual([none.statements + 1, none.statements + 1]);

    const cursor = await cursorOf('main', 'm1');
    const pages = async (args: string) => {
      parley.takeStatements();
      const { data, errors } = await parley.ask(
        `{ chat(id: "c") { branches { edges { node { messages(${args}) { edges { node { id } } } } } } } }`,
      );
      expect([data, errors]).toMatchObject([expect.anything(), undefined]);
      return parley.takeStatements().length;
    };
    expect(await pages(`first: 2, after: "${cursor}"`)).toBe((await pages('first: 2')) + 1);
  });
});

describe('around', () => {
  test.each([
    ['m4', 'first: 3', ['m3', 'm4', 'm5'], true, true],
    ['m4', 'first: 4', ['m2', 'm3', 'm4', 'm5'], true, true],
    ['m4', 'first: 1', ['m4'], true, true],
    ['m4', 'first: 0', [], true, true],
    ['m1', 'first: 5', ['m0', 'm1', 'm2', 'm3'], false, true],
    ['m8', 'first: 5', ['m6', 'm7', 'm8'], true, false],
    ['m0', 'first: 2', ['m0'], false, true],
    ['m4', '', MAIN, false, false],
    ['m4', 'first: 1000', MAIN, false, false],
  ])('the page with %s in its middle, size %s', async (id, size, ids, hasPreviousPage, hasNextPage) => {
    for (const path of ['main', 'm8'] as const) {
      const { page } = await ask(path, `around: "${id}"${size && `, ${size}`}`);
      expect(page.edges.map(({ node }) => node.id)).toEqual(ids);
      expect(page).toMatchObject({ totalCount: 9, pageInfo: { hasPreviousPage, hasNextPage } });
    }
  });

  test('has 20 elements by default', async () => {
    const messages = Array.from({ length: 40 }, (_, n) => userMessage(`n${n}`));
    await save(parley, { chatId: 'd', messages });
    expect(await idsOf('d', 'around: "n20"')).toEqual(messages.slice(10, 30).map(({ id }) => id));
  });

  test('continues in both directions', async () => {
    const { pageInfo } = (await ask('active', 'around: "f5", first: 3')).page;
    expect(await idsOf('active', `last: 2, before: "${pageInfo.startCursor}"`)).toEqual(FORK.slice(2, 4));
    expect(await idsOf('active', `first: 2, after: "${pageInfo.endCursor}"`)).toEqual(FORK.slice(7));
  });

  test.each(['f4', 'd0', 'nothing', '', 'x'.repeat(300), 'a\\u0000'])('%j is refused outside the path', async (id) => {
    expect((await ask('main', `around: "${id}"`)).errors).toMatchObject([
      { message: 'around is not the id of a message on this path', extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });

  test.each(['last: 3', 'after: "x"', 'before: "x"', 'first: 3, last: 3'])(
    'is refused together with %s',
    async (args) => {
      expect((await ask('main', `around: "m4", ${args}`)).errors).toMatchObject([
        {
          message: 'around cannot be given together with after, before or last',
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ]);
      expect((await ask('main', 'around: "m4", first: 1001')).errors).toMatchObject([
        { extensions: { code: 'BAD_USER_INPUT' } },
      ]);
    },
  );

  test('takes one more statement than a page', async () => {
    expect((await ask('main', 'around: "m4"')).statements).toBe((await ask('main')).statements + 1);
  });
});

describe('a cursor of another list of the same kind is refused', () => {
  const page = '{ edges { cursor } }';
  test.each([
    [
      'children',
      `{ message(id: "m3") { list: children ${page} } }`,
      (after: string) => `{ message(id: "m4") { children(${after}) ${page} } }`,
    ],
    ...['messages', 'branches', 'checkpoints', 'events'].map((list): [string, string, (after: string) => string] => [
      list,
      `{ chat(id: "c") { list: ${list} ${page} } }`,
      (after) => `{ chat(id: "d") { ${list}(${after}) ${page} } }`,
    ]),
  ])('%s', async (_name, query, other) => {
    await parley.ask('mutation { createCheckpoint(input: { chatId: "c", name: "n" }) { __typename } }');
    const [, cursor] = /"cursor":"([^"]+)"/.exec(JSON.stringify((await parley.ask(query)).data)) ?? [];
    expect((await parley.ask(other(`after: "${cursor}"`))).errors).toMatchObject(elsewhere('after'));
    expect((await parley.ask(other(`before: "${cursor}"`))).errors).toMatchObject(elsewhere('before'));
  });
});

test('edges in payloads of mutations have the cursors of lists', async () => {
  const { data } = await parley.ask(`mutation {
    saveMessages(input: { chatId: "c", messages: [{ name: "user", content: { text: "new" } }] }) {
      ... on SaveMessagesPayload { messageEdges { cursor } branch { messages(last: 1) { edges { cursor } } } }
    }
    rewind(input: { chatId: "c", at: { message: "m1" } }) {
      ... on BranchPayload { branchEdge { cursor } chat { branches(last: 1) { edges { cursor } } } }
    }
    createCheckpoint(input: { chatId: "c", name: "n" }) {
      ... on CheckpointPayload { checkpointEdge { cursor } checkpoint { chat { checkpoints { edges { cursor } } } } }
    }
  }`);
  const { saveMessages, rewind, createCheckpoint } = data as Record<string, Record<string, object>>;
  expect(saveMessages).toMatchObject({ branch: { messages: { edges: saveMessages!['messageEdges'] } } });
  expect(rewind).toMatchObject({ chat: { branches: { edges: [rewind!['branchEdge']] } } });
  expect(createCheckpoint).toMatchObject({
    checkpoint: { chat: { checkpoints: { edges: [createCheckpoint!['checkpointEdge']] } } },
  });
});
