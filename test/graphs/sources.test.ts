/** Messages that draw on other messages besides their parent. */
import fc from 'fast-check';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { createChat, save, SaveMessages, userMessage } from '../support/chats/operations.js';
import { expectSoundDatabase } from '../support/database/sound-database.js';
import { runs } from '../support/effort.js';
import { openParley, type Parley } from '../support/server/parley.js';

let parley: Parley;
/** main: m1, m2, m3; side: m1, s2, s3. */
beforeEach(async () => {
  parley = await openParley();
  for (const chatId of ['c', 'd']) await createChat(parley, chatId);
  await save(parley, { chatId: 'c', messages: ['m1', 'm2', 'm3'].map((id) => userMessage(id)) });
  await save(parley, { chatId: 'd', messages: [userMessage('d1')] });
  await parley.ask(
    'mutation { rewind(input: { chatId: "c", at: { message: "m1" }, branchName: "side" }) { __typename } }',
  );
  await save(parley, { chatId: 'c', messages: ['s2', 's3'].map((id) => userMessage(id)) });
});

const drawing = (id: string, sourceIds: string[] | null, text = id) => ({ ...userMessage(id, text), sourceIds });

const merge = (id: string, sourceIds: string[]) =>
  save(parley, { chatId: 'c', branch: 'main', messages: [drawing(id, sourceIds)] });

const sourcesOf = (id: string): Promise<string[]> => idsAt(id, 'message { sources { id } }');

async function idsAt(id: string, selection: string): Promise<string[]> {
  const { data } = await parley.ask(`query ($id: ID!) { ${selection.replace('message', 'message(id: $id)')} }`, { id });
  return (data as { message: { sources: { id: string }[] } }).message.sources.map((source) => source.id);
}

interface Page {
  totalCount: number;
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean };
  edges: { cursor: string; node: { id: string } }[];
}

async function drawnOnBy(id: string, args: string): Promise<Page> {
  const list = `drawnOnBy(${args}) { totalCount pageInfo { hasNextPage hasPreviousPage } edges { cursor node { id } } }`;
  const { data } = await parley.ask(`query ($id: ID!) { message(id: $id) { ${list} } }`, { id });
  return (data as { message: { drawnOnBy: Page } }).message.drawnOnBy;
}

const nodesOf = ({ edges }: Page) => edges.map(({ node }) => node.id);

describe('the sources of a message', () => {
  test('are returned in the order given, wherever the message is', async () => {
    await merge('x', ['s3', 'm1', 's2']);
    expect(await sourcesOf('x')).toEqual(['s3', 'm1', 's2']);
    expect(await sourcesOf('m2')).toEqual([]);
    const { data } = await parley.ask(`{ chat(id: "c") {
      graph { nodes { id sourceIds } }
      outline { segments { firstId lastId sourceIds } }
      events(last: 1) { edges { node { ... on BranchHeadMoved { messages { sources { id } } } } } }
      search(query: "x") { edges { node { message { sources { id } } } } } } }`);
    const sources = [{ id: 's3' }, { id: 'm1' }, { id: 's2' }];
    expect((data as { chat: object }).chat).toEqual({
      graph: {
        nodes: [
          ...['m1', 'm2', 'm3', 's2', 's3'].map((id) => ({ id, sourceIds: [] })),
          { id: 'x', sourceIds: ['s3', 'm1', 's2'] },
        ],
      },
      outline: {
        segments: [
          { firstId: 'm1', lastId: 'm1', sourceIds: [] },
          { firstId: 'm2', lastId: 'm3', sourceIds: [] },
          { firstId: 's2', lastId: 's2', sourceIds: [] },
          { firstId: 's3', lastId: 's3', sourceIds: [] },
          { firstId: 'x', lastId: 'x', sourceIds: ['s3', 'm1', 's2'] },
        ],
      },
      events: { edges: [{ node: { messages: [{ sources }] } }] },
      search: { edges: [{ node: { message: { sources } } }] },
    });
  });

  test('may be earlier messages of the same save', async () => {
    await save(parley, { chatId: 'c', messages: [userMessage('a'), drawing('b', ['a', 'm3']), drawing('e', ['b'])] });
    expect([await sourcesOf('b'), await sourcesOf('e')]).toEqual([['a', 'm3'], ['b']]);
  });

  test('may be as many as 16', async () => {
    const ids = Array.from({ length: 16 }, (_, n) => `o${n}`);
    await save(parley, { chatId: 'c', messages: [...ids.map((id) => userMessage(id)), drawing('all', ids)] });
    expect(await sourcesOf('all')).toEqual(ids);
  });

  test('are deleted with the chat', async () => {
    await merge('x', ['s3']);
    await parley.ask('mutation { deleteChat(input: { chatId: "c", permanently: true }) { __typename } }');
    await createChat(parley, 'c');
    await save(parley, { chatId: 'c', messages: [userMessage('m1'), userMessage('x')] });
    expect(await sourcesOf('x')).toEqual([]);
  });
});

describe('drawnOnBy', () => {
  it('lists the messages that name a source, oldest first', async () => {
    for (const id of ['x', 'y', 'z']) await merge(id, ['s2', 's3']);
    const first = await drawnOnBy('s3', 'first: 2');
    expect(nodesOf(first)).toEqual(['x', 'y']);
    expect(first).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true, hasPreviousPage: false } });
    const rest = await drawnOnBy('s3', `first: 2, after: "${first.edges.at(-1)!.cursor}"`);
    expect(nodesOf(rest)).toEqual(['z']);
    expect(rest).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: false, hasPreviousPage: true } });
    expect(nodesOf(await drawnOnBy('s3', 'last: 2'))).toEqual(['y', 'z']);
    expect(nodesOf(await drawnOnBy('s3', `last: 1, before: "${rest.edges[0]!.cursor}"`))).toEqual(['y']);
    expect(await drawnOnBy('m2', 'first: 2')).toMatchObject({ totalCount: 0, edges: [] });
  });

  it('refuses the cursor of another message', async () => {
    await merge('x', ['s2', 's3']);
    const { edges } = await drawnOnBy('s2', 'first: 1');
    const { errors } = await parley.ask(
      `{ message(id: "s3") { drawnOnBy(first: 1, after: "${edges[0]!.cursor}") { totalCount } } }`,
    );
    expect(errors?.[0]?.message).toBe('after is a cursor of another list of this kind');
  });
});

describe('a save is refused', () => {
  const SELF = 'is the message itself: "x"';
  const LATER = 'is a later message of this save: "y"';
  const path = 'messages.0.sourceIds';
  test.each([
    ['of itself', ['x'], `${path}.0`, SELF],
    ['of a later message', ['m1', 'y'], `${path}.1`, LATER],
    ['twice', ['m1', 's2', 'm1'], `${path}.2`, `is the same as ${path}.0: "m1"`],
    ['with an empty id', [''], `${path}.0`, 'must not be empty'],
    ['with more than 16', Array.from({ length: 17 }, (_, n) => `o${n}`), path, 'must have at most 16 elements, not 17'],
  ])('with sources %s', async (_, sourceIds, at, fault) => {
    const messages = [drawing('x', sourceIds), userMessage('y')];
    const { saveMessages } = await parley.run(SaveMessages, { input: { chatId: 'c', messages, onConflict: 'REJECT' } });
    expect(saveMessages).toMatchObject({ __typename: 'InvalidInputError', path: at, message: `${at} ${fault}` });
  });

  test.each([
    ['missing', 'nowhere', 'Message "nowhere" not found'],
    ['of another chat', 'd1', 'Message "d1" belongs to a different chat'],
  ])('with a source that is %s', async (_, sourceId, message) => {
    const messages = [userMessage('before'), drawing('x', ['m1', sourceId])];
    const { saveMessages } = await parley.run(SaveMessages, { input: { chatId: 'c', messages, onConflict: 'REJECT' } });
    expect(saveMessages).toEqual({
      __typename: 'NotFoundError',
      code: 'NOT_FOUND',
      message: `messages.1.sourceIds.1: ${message}`,
    });
    const { data } = await parley.ask('{ message(id: "before") { id } }');
    expect(data).toEqual({ message: null });
  });
});

describe('a repeated save', () => {
  test.each([
    ['with the same sources', ['s3', 'm1']],
    ['without sources', null],
  ])('%s is a retry', async (_, sourceIds) => {
    await merge('x', ['s3', 'm1']);
    const again = await save(parley, { chatId: 'c', branch: 'main', messages: [drawing('x', sourceIds)] });
    expect(again).toMatchObject({ branched: false, messages: [{ id: 'x' }] });
  });

  test.each([
    ['other sources', ['s2', 'm1']],
    ['the sources in another order', ['m1', 's3']],
    ['an empty list of sources', []],
  ])('with %s is an edit', async (_, sourceIds) => {
    await merge('x', ['s3', 'm1']);
    const edited = await save(parley, { chatId: 'c', messages: [drawing('x', sourceIds)] });
    expect(edited.branched).toBe(true);
    expect(await sourcesOf(edited.messages[0]!.id)).toEqual(sourceIds);
    expect(await sourcesOf('x')).toEqual(['s3', 'm1']);
    const again = await save(parley, { chatId: 'c', messages: [drawing('x', sourceIds)] });
    expect(again).toMatchObject({ branched: false, messages: [{ id: edited.messages[0]!.id }] });
  });

  test('of an edit compares the sources of its version', async () => {
    await save(parley, { chatId: 'c', branch: 'main', messages: [userMessage('x')] });
    const first = await save(parley, { chatId: 'c', messages: [drawing('x', ['s2'], 'changed')] });
    const again = await save(parley, { chatId: 'c', messages: [drawing('x', ['s2'], 'changed')] });
    expect(again).toMatchObject({ branched: false, messages: [{ id: first.messages[0]!.id }] });
    const other = await save(parley, { chatId: 'c', messages: [drawing('x', ['s3'], 'changed')] });
    expect(other.branched).toBe(true);
  });
});

test('a save reads once more with sources, and as often as before without', async () => {
  const statements = async (sourceIds: string[][]) => {
    parley.takeStatements();
    const messages = sourceIds.map((ids, n) => ({ name: 'user', content: { text: `${n}` }, sourceIds: ids }));
    await save(parley, {
      chatId: 'c',
      branch: 'main',
      messages: messages.map((each) => ({ type: 'message', ...each })),
    });
    return parley.takeStatements().length;
  };
  await statements([[]]);
  const without = await statements([[], []]);
  // One read and one insert, which some databases combine with other inserts.
  expect(await statements([['s2'], ['s3', 'm1']])).toBeLessThanOrEqual(without + 2);
  expect(await statements([['s2'], []])).toBe(
    await statements([
      ['s2', 's3'],
      ['m1', 's2', 's3'],
    ]),
  );
});

test('no saves can store a cycle, and every source is an earlier message', async () => {
  const anyMessage = fc.record({
    id: fc.nat(9),
    text: fc.constantFrom('a', 'b'),
    sources: fc.option(fc.array(fc.nat(12), { maxLength: 4 }), { nil: null }),
  });
  const anySave = fc.record({
    messages: fc.array(anyMessage, { minLength: 1, maxLength: 4 }),
    branch: fc.constantFrom(null, 'main', 'side'),
  });
  let chats = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anySave, { minLength: 1, maxLength: 8 }), async (saves) => {
      const chatId = `any-${chats++}`;
      await createChat(parley, chatId);
      const idOf = (n: number) => `${chatId}-${n}`;
      for (const { messages, branch } of saves) {
        const input = {
          chatId,
          branch,
          onConflict: 'REJECT' as const,
          messages: messages.map(({ id, text, sources }) => drawing(idOf(id), sources?.map(idOf) ?? null, text)),
        };
        const { saveMessages } = await parley.run(SaveMessages, { input });
        if (saveMessages.__typename !== 'SaveMessagesPayload') {
          expect(['InvalidInputError', 'NotFoundError']).toContain(saveMessages.__typename);
        }
      }
      const { data } = await parley.ask(
        'query ($id: ID!) { chat(id: $id) { messages(first: 100) { edges { node { id seq sources { id seq chat { id } } } } } } }',
        { id: chatId },
      );
      type Node = { id: string; seq: number; sources: { id: string; seq: number; chat: { id: string } }[] };
      const { edges } = (data as { chat: { messages: { edges: { node: Node }[] } } }).chat.messages;
      for (const { node } of edges) {
        for (const source of node.sources) {
          expect(source.seq).toBeLessThan(node.seq);
          expect(source.chat.id).toBe(chatId);
        }
        expect(new Set(node.sources.map(({ id }) => id)).size).toBe(node.sources.length);
      }
    }),
    { numRuns: runs(40) },
  );
  await expectSoundDatabase(parley.databaseUrl);
});
