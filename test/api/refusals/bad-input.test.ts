/** Mutations and queries with values that are refused. */
import { beforeEach, describe, expect, test } from 'vitest';
import { createChat, save, userMessage } from '../../support/chats/operations.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { INPUT_TYPES, type Mutation, message } from './bad-values.js';

let parley: Parley;

beforeEach(async () => {
  parley = await openParley();
  await createChat(parley, 'c');
  await createChat(parley, 'empty');
  await save(parley, { chatId: 'c', messages: [userMessage('m1'), userMessage('m2')] });
});

async function mutate(mutation: Mutation, input: object) {
  const { data, errors } = await parley.ask(
    `mutation ($input: ${INPUT_TYPES[mutation]}!) {
      result: ${mutation}(input: $input) { __typename ... on Error { message } ... on InvalidInputError { path } }
    }`,
    { input },
  );
  return errors ?? (data as { result: unknown }).result;
}

async function versions() {
  const { data } = await parley.ask('{ chats { totalCount edges { node { id version messageCount } } } }');
  return data;
}

const long = 'x'.repeat(256);

const deep = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;

describe('of a mutation: an InvalidInputError with the path', () => {
  const REFUSED: [Mutation, object, string, RegExp][] = [
    ['createChat', { id: '' }, 'id', /must not be empty/],
    ['createChat', { id: long }, 'id', /at most 255 characters, not 256/],
    ['createChat', { id: 'x ' }, 'id', /must not end with a space/],
    ['createChat', { id: 'a\0b' }, 'id', /U\+0000/],
    ['createChat', { id: 'a\ud800b' }, 'id', /lone surrogate/],
    ['createChat', { userId: long }, 'userId', /at most 255/],
    ['createChat', { title: '' }, 'title', /must not be empty/],
    ['createChat', { title: long }, 'title', /at most 255/],
    ['createChat', { metadata: [] }, 'metadata', /must be a JSON object/],
    ['createChat', { metadata: { a: 'x'.repeat(64 * 1024) } }, 'metadata', /at most 65536 bytes as JSON, not 655/],
    ['createChat', { metadata: { a: deep(100) } }, 'metadata', /deeper than 100 levels/],
    ['createChat', { metadata: { 'a\0': 1 } }, 'metadata', /U\+0000/],
    ['upsertChat', { id: long }, 'id', /at most 255/],
    ['updateChat', { chatId: 'c', metadata: {}, metadataPatch: {} }, 'metadataPatch', /together with metadata/],
    ['updateChat', { chatId: 'c', metadata: 'text' }, 'metadata', /must be a JSON object/],
    ['updateChat', { chatId: 'c', metadataPatch: 5 }, 'metadataPatch', /must be a JSON object/],
    ['updateChat', { chatId: 'c', title: '' }, 'title', /must not be empty/],
    ['saveMessages', { chatId: 'c', messages: [] }, 'messages', /1 to 500 elements, not 0/],
    [
      'saveMessages',
      { chatId: 'c', messages: Array.from({ length: 501 }, () => ({ name: 'u', content: { text: '' } })) },
      'messages',
      /not 501/,
    ],
    ['saveMessages', { ...message({ text: '' }), branch: '' }, 'branch', /must not be empty/],
    ['saveMessages', message({ text: '' }, { id: '' }), 'messages.0.id', /must not be empty/],
    ['saveMessages', message({ text: '' }, { id: 'a', lazyId: 'LAST_ASSISTANT' }), 'messages.0.lazyId', /with id/],
    ['saveMessages', message({ text: '' }, { name: '' }), 'messages.0.name', /must not be empty/],
    ['saveMessages', message({ text: '' }, { type: long }), 'messages.0.type', /at most 255/],
    ['saveMessages', message({ text: 'a\0' }), 'messages.0.content.text', /U\+0000/],
    ['saveMessages', message({ text: '\udc00' }), 'messages.0.content.text', /lone surrogate/],
    ['saveMessages', message({ text: 'x'.repeat(1024 * 1024) }), 'messages.0.content.text', /at most 1048576 bytes/],
    ['saveMessages', message({ data: { a: ['\0'] } }), 'messages.0.content.data', /U\+0000/],
    ['saveMessages', message({ data: { a: '\ud83d' } }), 'messages.0.content.data', /lone surrogate/],
    ['saveMessages', message({ data: deep(201) }), 'messages.0.content.data', /deeper than 200 levels/],
    ['saveMessages', message({ data: 'é'.repeat(600 * 1024) }), 'messages.0.content.data', /at most 1048576 bytes/],
    [
      'saveMessages',
      { chatId: 'c', messages: ['a', 'b', 'a'].map((id) => ({ id, name: 'u', content: { text: id } })) },
      'messages.2.id',
      /same as messages\.0\.id/,
    ],
    ['saveMessages', { ...message({ text: '' }), branchName: '' }, 'branchName', /must not be empty/],
    ['saveMessages', { ...message({ text: '' }), at: { message: 'm1' }, expectedHead: { id: 'm2' } }, 'at', /together/],
    ['editMessage', { chatId: 'c', messageId: 'm1', content: { text: '\0' } }, 'content.text', /U\+0000/],
    ['editMessage', { chatId: 'c', messageId: 'm1', content: { text: '' }, id: '' }, 'id', /must not be empty/],
    ['rewind', { chatId: 'c', at: { start: false } }, 'at.start', /must be true/],
    ['btw', { chatId: 'c', at: { start: false } }, 'at.start', /must be true/],
    ['saveMessages', { ...message({ text: '' }), at: { start: false } }, 'at.start', /must be true/],
    [
      'saveMessages',
      { ...message({ text: '' }), expectedHead: { empty: false } },
      'expectedHead.empty',
      /must be true/,
    ],
    ['rewind', { chatId: 'c', at: { message: 'm1' }, branchName: '' }, 'branchName', /must not be empty/],
    ['btw', { chatId: 'c', branchName: long }, 'branchName', /at most 255/],
    ['btw', { chatId: 'empty' }, 'chatId', /no messages/],
    ['switchBranch', { chatId: 'c', name: '' }, 'name', /must not be empty/],
    ['createCheckpoint', { chatId: 'c', name: long }, 'name', /at most 255/],
    ['createCheckpoint', { chatId: 'empty', name: 'n' }, 'messageId', /no messages/],
    ['restoreCheckpoint', { chatId: 'c', name: 'a\0' }, 'name', /U\+0000/],
    ['renameBranch', { chatId: 'c', name: '', newName: 'n' }, 'name', /must not be empty/],
    ['renameBranch', { chatId: 'c', name: 'main', newName: long }, 'newName', /at most 255/],
    ['deleteBranch', { chatId: 'c', name: '' }, 'name', /must not be empty/],
    ['deleteBranch', { chatId: 'c', name: 'main' }, 'name', /is active/],
    ['switchToSibling', { chatId: 'c', messageId: 'm1', branchName: '' }, 'branchName', /must not be empty/],
    ['forkChat', { chatId: 'c', id: '' }, 'id', /must not be empty/],
    ['forkChat', { chatId: 'empty' }, 'chatId', /no messages/],
    ['startDraft', { chatId: 'c', name: '' }, 'name', /must not be empty/],
    ['startDraft', { chatId: 'c', name: 'u', branch: '' }, 'branch', /must not be empty/],
    ['createShare', { chatId: 'c', title: '' }, 'title', /must not be empty/],
    ['createShare', { chatId: 'empty' }, 'place', /is empty/],
    ['createAccessToken', { name: '', scopes: ['READ'] }, 'name', /must not be empty/],
  ];
  test.each(REFUSED.map(([mutation, input, path, reason]) => ({ mutation, input, path, reason })))(
    '$mutation: $path, $reason',
    async ({ mutation, input, path, reason }) => {
      const before = await versions();
      expect(await mutate(mutation, input)).toEqual({
        __typename: 'InvalidInputError',
        message: expect.stringMatching(reason) as string,
        path,
      });
      expect(await versions()).toEqual(before);
    },
  );

  test('data nested deeper than the stack is refused like other input', async () => {
    const query = `mutation ($data: JSON!) {
      saveMessages(input: { chatId: "c", messages: [{ name: "user", content: { data: $data } }] }) {
        ... on InvalidInputError { path message }
      }
    }`;
    const nested = '['.repeat(100_000) + ']'.repeat(100_000);
    const response = await parley.post(`{"query":${JSON.stringify(query)},"variables":{"data":${nested}}}`);
    expect(await response.json()).toMatchObject({
      data: {
        saveMessages: { path: 'messages.0.content.data', message: expect.stringMatching(/200 levels/) as string },
      },
    });
  });

  test('one invalid message refuses the whole save', async () => {
    const messages = [...Array.from({ length: 5 }, (_, n) => userMessage(`new ${n}`)), userMessage('bad', '\0')];
    const before = await versions();
    expect(await mutate('saveMessages', { chatId: 'c', messages })).toMatchObject({ path: 'messages.5.content.text' });
    expect(await versions()).toEqual(before);
  });

  test('input at the limits is saved and returned unchanged', async () => {
    const data = [deep(199), 'x'.repeat(1024 * 1024 - 500), 1e-7, -1.5, '\u{1F600}'];
    const id = 'i'.repeat(255);
    await save(parley, { chatId: 'c', messages: [{ id, name: 'n'.repeat(255), type: 't', content: { data } }] });
    const { data: answer } = await parley.ask('query ($id: ID!) { message(id: $id) { name type data } }', { id });
    expect(answer).toEqual({ message: { name: 'n'.repeat(255), type: 't', data } });
  });
});

describe('of missing ids: NotFoundError, and null for queries', () => {
  test.each(['nowhere', '', 'x'.repeat(10_000), 'a\0b', '\ud800', "'; DROP TABLE messages; --", '%', 'C '])(
    '%j',
    async (id) => {
      expect(await mutate('rewind', { chatId: id, at: { message: 'm1' } })).toMatchObject({
        __typename: 'NotFoundError',
      });
      expect(await mutate('rewind', { chatId: 'c', at: { message: id } })).toMatchObject({
        __typename: 'NotFoundError',
      });
      const save = { ...message({ text: '' }), expectedHead: { id } };
      expect(await mutate('saveMessages', save)).toMatchObject({ __typename: 'NotFoundError' });
      const { data, errors } = await parley.ask(
        `query ($id: ID!, $name: String!) {
          chat(id: $id) { id }
          message(id: $id) { id }
          node(nodeId: $id) { nodeId }
          c: chat(id: "c") { message(id: $id) { id } branch(name: $name) { id } checkpoint(name: $name) { id } }
        }`,
        { id, name: id },
      );
      expect(errors).toBeUndefined();
      expect(data).toEqual({
        chat: null,
        message: null,
        node: null,
        c: { message: null, branch: null, checkpoint: null },
      });
    },
  );

  test('a message of another chat is missing in this chat', async () => {
    expect(await parley.ask('{ chat(id: "empty") { message(id: "m1") { id } } }')).toEqual({
      data: { chat: { message: null } },
    });
  });
});

test('empty pages and names at their limits are accepted', async () => {
  const { data } = await parley.ask(`{
    chat(id: "c") { activeBranch { messages(first: 0) { totalCount pageInfo { hasNextPage hasPreviousPage } } } }
  }`);
  expect(data).toEqual({
    chat: { activeBranch: { messages: { totalCount: 2, pageInfo: { hasNextPage: true, hasPreviousPage: false } } } },
  });
  const base = 'a'.repeat(237) + '\u{10FFFF}';
  expect(await mutate('rewind', { chatId: 'c', at: { message: 'm1' }, branchName: base })).toMatchObject(payload);
  for (let n = 0; n < 3; n++) expect(await mutate('btw', { chatId: 'c' })).toMatchObject(payload);
  const last = 'main-v9007199254740990';
  expect(await mutate('rewind', { chatId: 'c', at: { message: 'm1' }, branchName: last })).toMatchObject(payload);
  for (let n = 0; n < 3; n++) {
    await mutate('switchBranch', { chatId: 'c', name: 'main' });
    expect(await mutate('rewind', { chatId: 'c', at: { message: 'm1' } })).toMatchObject(payload);
  }
});

const payload = { __typename: 'BranchPayload' };
