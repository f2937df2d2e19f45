/** `createChat` of saveMessages: a missing chat is created with its first messages, or not at all. */
import { beforeEach, describe, expect, test } from 'vitest';
import { openParley, type Parley } from '../../support/server/parley.js';
import { userOf } from '../followed-chats.js';

let parley: Parley;
beforeEach(async () => {
  parley = await openParley();
});

interface Outcome {
  __typename: string;
  code?: string;
  message?: string;
  path?: string;
}

const SAVE = `mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) {
  __typename
  ... on SaveMessagesPayload {
    branched branch { name isActive messageCount } messages { id } chat { id userId title metadata version messageCount viewerRole }
  }
  ... on Error { code message }
  ... on InvalidInputError { path }
} }`;

async function saveAs(userId: string, input: object, messageId = 'm1'): Promise<Outcome> {
  const messages = [{ id: messageId, name: 'user', content: { text: 'hello' } }];
  const variables = { input: { chatId: 'c', messages, createChat: {}, ...input } };
  const { data, errors } = await parley.ask(SAVE, variables, { 'x-user-id': userId });
  if (data == null) throw new Error(JSON.stringify(errors));
  return data['saveMessages'] as Outcome;
}

async function query(userId: string, document: string): Promise<unknown> {
  const { data, errors } = await parley.ask(document, {}, { 'x-user-id': userId });
  if (errors !== undefined) throw new Error(errors[0]?.message);
  return data;
}

const create = (userId: string) => query(userId, 'mutation { createChat(input: { id: "c" }) { __typename } }');

describe('a save with createChat', () => {
  test('creates a missing chat with its messages, in one change', async () => {
    const createChat = { title: 'Trip', metadata: { tag: 'a' } };
    expect(await saveAs('ann', { createChat, expectedHead: { empty: true } })).toEqual({
      __typename: 'SaveMessagesPayload',
      branched: false,
      branch: { name: 'main', isActive: true, messageCount: 1 },
      messages: [{ id: 'm1' }],
      chat: {
        ...{ id: 'c', userId: 'ann', title: 'Trip', metadata: { tag: 'a' }, version: 4 },
        ...{ messageCount: 1, viewerRole: 'OWNER' },
      },
    });
    const read = `{
      chats { edges { node { id lastMessage { id text } } } }
      chat(id: "c") { events { edges { node { __typename seq actorId } } } usage { model } activeBranch { createdAtMessage { id } } }
      search(query: "hello") { edges { node { message { id } } } }
    }`;
    expect(await query('ann', read)).toEqual({
      chats: { edges: [{ node: { id: 'c', lastMessage: { id: 'm1', text: 'hello' } } }] },
      chat: {
        events: {
          edges: ['ChatCreated', 'BranchCreated', 'BranchActivated', 'BranchHeadMoved'].map((__typename, index) => ({
            node: { __typename, seq: index + 1, actorId: 'ann' },
          })),
        },
        usage: [],
        activeBranch: { createdAtMessage: null },
      },
      search: { edges: [{ node: { message: { id: 'm1' } } }] },
    });
  });

  test('is one change of the list of chats', async () => {
    const stream = await userOf(parley, 'ann', 'subscription { chatChanges { chatId kind version } }').follow();
    await saveAs('ann', {});
    expect(await stream.next()).toEqual({ data: { chatChanges: { chatId: 'c', kind: 'CREATED', version: 4 } } });
    await saveAs('ann', {}, 'm2');
    expect(await stream.next()).toEqual({ data: { chatChanges: { chatId: 'c', kind: 'CHANGED', version: 5 } } });
  });

  test('refuses the name of its own first branch for a second one', async () => {
    const messages = [
      { id: 'm1', name: 'assistant', content: { text: 'first' } },
      { lazyId: 'LAST_ASSISTANT', name: 'assistant', content: { text: 'corrected' } },
    ];
    expect(await saveAs('ann', { messages, branchName: 'main' })).toMatchObject({
      __typename: 'AlreadyExistsError',
      message: 'Branch "main" already exists in chat "c"',
    });
    expect(await query('ann', '{ chat(id: "c") { id } }')).toEqual({ chat: null });
  });

  test('leaves an existing chat unchanged, and a repeated one writes nothing', async () => {
    const first = await saveAs('ann', { createChat: { title: 'first' } });
    expect(await saveAs('ann', { createChat: { title: 'second' } })).toEqual(first);
    expect(await saveAs('ann', { createChat: { title: 'second' } }, 'm2')).toMatchObject({
      chat: { title: 'first', version: 5, messageCount: 2 },
    });
  });

  test('of two at once saves both messages in one chat', async () => {
    const ids = ['m1', 'm2', 'm3', 'm4'];
    const saves = await Promise.all(ids.map((id) => saveAs('ann', {}, id)));
    expect(saves.map(({ __typename }) => __typename)).toEqual(ids.map(() => 'SaveMessagesPayload'));
    expect(await query('ann', '{ chat(id: "c") { version messageCount } }')).toEqual({
      chat: { version: 7, messageCount: 4 },
    });
  });

  test('writes no chat when a message is refused', async () => {
    expect(await saveAs('ann', { branch: 'other' })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await saveAs('ann', { at: { message: 'm0' } })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await saveAs('ann', { expectedHead: { id: 'm0' } })).toMatchObject({ code: 'NOT_FOUND' });
    // A distributed database reserves the ids of refused saves for their chat.
    expect(await saveAs('bob', { chatId: 'of bob' }, 'taken')).toMatchObject({ messages: [{ id: 'taken' }] });
    const refusal = { code: 'ALREADY_EXISTS', message: 'Message "taken" already exists' };
    expect(await saveAs('ann', {}, 'taken')).toMatchObject(refusal);
    expect(await query('ann', '{ chats { totalCount } }')).toEqual({ chats: { totalCount: 0 } });
  });

  test.each([
    ['chatId', { chatId: '' }, 'must not be empty'],
    ['createChat.title', { createChat: { title: '' } }, 'must not be empty'],
    ['createChat.metadata', { createChat: { metadata: [] } }, 'must be a JSON object'],
    ['createChat.metadata', { createChat: { metadata: { a: 'x'.repeat(65_536) } } }, 'must have at most 65536 bytes'],
  ])('refuses a bad %s like upsertChat', async (path, input, reason) => {
    const message = expect.stringContaining(`${path} ${reason}`) as string;
    expect(await saveAs('ann', input)).toMatchObject({ code: 'INVALID_INPUT', path, message });
  });

  test('refuses the id of a chat of another user, and of a deleted one, like upsertChat', async () => {
    await create('bob');
    expect(await saveAs('ann', {})).toMatchObject({
      __typename: 'AlreadyExistsError',
      message: 'Chat "c" already exists',
    });
    await query('bob', 'mutation { deleteChat(input: { chatId: "c" }) { __typename } }');
    expect(await saveAs('ann', {})).toMatchObject({ message: 'Chat "c" already exists' });
    expect(await saveAs('bob', {})).toMatchObject({
      message: 'Chat "c" already exists: it was deleted; restore it or delete it permanently',
    });
    await query('bob', 'mutation { deleteChat(input: { chatId: "c", permanently: true }) { __typename } }');
    expect(await saveAs('ann', {})).toMatchObject({ __typename: 'SaveMessagesPayload' });
  });

  test('needs the right to write in an existing chat', async () => {
    await create('bob');
    await query('bob', 'mutation { addMember(input: { chatId: "c", userId: "ann", role: READER }) { __typename } }');
    expect(await saveAs('ann', {})).toMatchObject({ __typename: 'ForbiddenError' });
  });

  test('creates a chat for another user only by an admin', async () => {
    const createChat = { userId: 'bob' };
    expect(await saveAs('ann', { createChat })).toMatchObject({ code: 'INVALID_INPUT', path: 'createChat.userId' });
    expect(await saveAs('local', { createChat })).toMatchObject({ chat: { userId: 'bob' } });
  });
});
