/** Drafts: appending to them, and their ends. */
import { describe, expect, test } from 'vitest';
import { save, userMessage } from '../../support/chats/operations.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { mutate, chatOfThree, append, draftsOf, branchesOf } from './draft-requests.js';

describe('A draft', () => {
  test('starts after the head of the active branch, grows, and becomes the message with its id', async () => {
    const parley = await chatOfThree();
    expect(await mutate(parley, 'startDraft', { id: 'd', metadata: { model: 'x' } })).toEqual({
      __typename: 'DraftPayload',
      draft: {
        id: 'd',
        branch: { name: 'main' },
        parent: { id: 'c' },
        name: 'assistant',
        metadata: { model: 'x' },
        length: 0,
        state: 'WRITING',
        startedBy: 'local',
        text: '',
      },
      previousActiveBranch: null,
    });
    await append(parley, 0, 'Hel', { type: 'text-delta', id: '0', delta: 'lo' });
    expect(await append(parley, 2, { type: 'finish' }, ' there')).toMatchObject({
      draft: { length: 4, text: 'Hello there' },
    });
    expect(await mutate(parley, 'finishDraft', { id: 'd' })).toEqual({
      __typename: 'SaveMessagesPayload',
      branched: false,
      branch: { name: 'main', isActive: true, messageCount: 4 },
      messages: [
        {
          id: 'd',
          parentId: 'c',
          name: 'assistant',
          type: 'message',
          data: {
            id: 'd',
            role: 'assistant',
            metadata: { model: 'x' },
            parts: [{ type: 'text', text: 'Hello there' }],
          },
        },
      ],
    });
    expect(await draftsOf(parley)).toEqual([]);
  });

  test('is in no list of messages, in no search, no context and no log until it is finished', async () => {
    const parley = await chatOfThree();
    const look = async () =>
      parley.ask(
        `{ chat(id: "c") {
          version messageCount latestLeaf { id } events(last: 1) { edges { cursor } } graph { nodes { id } }
          activeBranch { head { id } context(input: {}) { systemPrompt messages } } search(query: "zebra") { edges { node { rank } } }
        } }`,
      );
    const before = await look();
    expect(before.errors).toBeUndefined();
    await mutate(parley, 'startDraft', { id: 'd' });
    await append(parley, 0, 'zebra');
    expect(await look()).toEqual(before);
  });

  test('is finished once for any number of requests', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await append(parley, 0, 'once');
    const first = await mutate(parley, 'finishDraft', { id: 'd' });
    await save(parley, { chatId: 'c', messages: [userMessage('later')] });
    const again = await mutate(parley, 'finishDraft', { id: 'd' });
    expect(again['messages']).toEqual(first['messages']);
    expect(await mutate(parley, 'finishDraft', { id: 'd', content: { text: 'other' } })).toMatchObject({
      __typename: 'AlreadyExistsError',
    });
    const { data } = await parley.ask('{ chat(id: "c") { messageCount branches { totalCount } } }');
    expect(data).toEqual({ chat: { messageCount: 5, branches: { totalCount: 1 } } });
  });

  test('starts once: a retry returns it, and another draft with its id is refused', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await append(parley, 0, 'x');
    expect(await mutate(parley, 'startDraft', { id: 'd' })).toMatchObject({ draft: { length: 1 } });
    expect(await mutate(parley, 'startDraft', { id: 'd', name: 'tool' })).toEqual({
      __typename: 'AlreadyExistsError',
      code: 'ALREADY_EXISTS',
      message: 'Draft "d" already exists',
    });
    expect(await mutate(parley, 'startDraft', { id: 'c' })).toMatchObject({ message: 'Message "c" already exists' });
  });
});

describe('The offset of an append', () => {
  test('is refused with the present length when it leaves a gap', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await append(parley, 0, 'a');
    expect(await append(parley, 3, 'd')).toEqual({
      __typename: 'DraftOffsetError',
      code: 'INVALID_INPUT',
      message: 'offset is 3, but the draft has 1 chunk',
      length: 1,
    });
    expect(await append(parley, -1, 'd')).toMatchObject({ __typename: 'InvalidInputError', path: 'offset' });
  });
});

describe('An append without chunks', () => {
  const updatedAt = async (parley: Parley) => {
    const { data } = await parley.ask('{ chat(id: "c") { drafts { edges { node { updatedAt state } } } } }');
    type Listed = { edges: { node: { updatedAt: string; state: string } }[] };
    const { node } = (data as { chat: { drafts: Listed } }).chat.drafts.edges[0]!;
    return { at: Date.parse(node.updatedAt), state: node.state };
  };
  const age = async (parley: Parley, ms: number) =>
    (await rawDatabase(parley.databaseUrl)).run(`UPDATE drafts SET "updatedAt" = "updatedAt" - ${ms}`);

  test('renews updatedAt and continues an abandoned draft', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd', at: { message: 'a' } });
    await append(parley, 0, { type: 'start' });
    for (const ms of [30_000, 61_000]) {
      await age(parley, ms);
      const before = await updatedAt(parley);
      expect(before.state).toBe(ms > 60_000 ? 'ABANDONED' : 'WRITING');
      expect(await append(parley, 1)).toMatchObject({ draft: { length: 1, state: 'WRITING' } });
      expect((await updatedAt(parley)).at).toBeGreaterThanOrEqual(before.at + ms);
    }
    expect(await branchesOf(parley)).toEqual(['main* c']);
  });

  test('at another offset changes nothing', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await append(parley, 0, 'a', 'b');
    await age(parley, 30_000);
    const before = await updatedAt(parley);
    expect(await append(parley, 1)).toMatchObject({ draft: { length: 2 } });
    expect(await append(parley, 3)).toMatchObject({ __typename: 'DraftOffsetError', length: 2 });
    expect(await updatedAt(parley)).toEqual(before);
  });
});

describe('The end of a draft', () => {
  test.each<[metadata: unknown, saved: unknown]>([
    [undefined, { status: 'incomplete' }],
    [{ model: 'x' }, { model: 'x', status: 'incomplete' }],
    ['note', { metadata: 'note', status: 'incomplete' }],
  ])(
    'marks the joined text of a stopped or abandoned draft with metadata %j as incomplete',
    async (metadata, saved) => {
      for (const state of ['STOPPING', 'ABANDONED']) {
        const parley = await chatOfThree();
        await mutate(parley, 'startDraft', { id: 'd', metadata });
        await append(parley, 0, 'half');
        if (state === 'STOPPING') await mutate(parley, 'stopDraft', { id: 'd' });
        else await (await rawDatabase(parley.databaseUrl)).run('UPDATE drafts SET "updatedAt" = "updatedAt" - 61000');
        const first = await mutate(parley, 'finishDraft', { id: 'd' });
        expect(first).toMatchObject({
          messages: [{ data: { metadata: saved, parts: [{ type: 'text', text: 'half' }] } }],
        });
        expect(await mutate(parley, 'finishDraft', { id: 'd' })).toMatchObject({ messages: first['messages'] });
      }
    },
  );

  test('a discarded draft leaves nothing, and its id can be reused', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'startDraft', { id: 'd' });
    await append(parley, 0, 'x');
    const discarded = { __typename: 'DiscardDraftPayload', chat: { id: 'c' }, deletedId: 'd' };
    expect(await mutate(parley, 'discardDraft', { id: 'd' })).toEqual(discarded);
    expect(await mutate(parley, 'discardDraft', { id: 'd' })).toEqual(discarded);
    for (const field of ['finishDraft', 'stopDraft']) {
      expect(await mutate(parley, field, { id: 'd' })).toMatchObject({
        __typename: 'NotFoundError',
        message: 'Draft "d" not found in chat "c"',
      });
    }
    expect(await append(parley, 1, 'y')).toMatchObject({ __typename: 'NotFoundError' });
    expect(await mutate(parley, 'startDraft', { id: 'd' })).toMatchObject({ draft: { length: 0 } });
    expect(await append(parley, 0, 'new')).toMatchObject({ draft: { text: 'new' } });
  });
});

test('a transferred chat keeps its drafts', async () => {
  const parley = await openParley();
  const as = (userId: string): Pick<Parley, 'ask'> => ({
    ask: async (query, variables) =>
      (await (await parley.post(JSON.stringify({ query, variables }), { 'x-user-id': userId })).json()) as Awaited<
        ReturnType<Parley['ask']>
      >,
  });
  await parley.ask('mutation { createChat(input: { id: "c", userId: "ann" }) { __typename } }');
  await mutate(as('ann'), 'startDraft', { id: 'd' });
  await parley.ask('mutation { transferChat(input: { chatId: "c", userId: "bob" }) { __typename } }');
  const chunks = { id: 'd', offset: 0, chunks: ['x'] };
  expect(await mutate(as('ann'), 'appendToDraft', chunks)).toMatchObject({ message: 'Chat "c" not found' });
  expect(await mutate(as('bob'), 'appendToDraft', chunks)).toMatchObject({ draft: { length: 1, startedBy: 'ann' } });
  expect(await mutate(as('bob'), 'finishDraft', { id: 'd' })).toMatchObject({ messages: [{ id: 'd' }] });
});
