/** Arguments that every store refuses, and the errors. The database is not involved. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { ContextStore, NewMessageData } from '@parley/context';
import { failureOf, notFound } from './store-failure.js';
import { openStores, STORE_NAMES } from './stores.js';

const stores = openStores();

/** A user message, whose text is its id by default. */
const userMessage = (id: string, text = id): NewMessageData => ({ id, name: 'user', content: { text } });

describe.each(STORE_NAMES)('the store %s', (storeName) => {
  let store: ContextStore;
  beforeEach(() => void (store = stores.get(storeName)));

  test('refuses unknown lazy ids, policies and contents', async () => {
    await store.createChat({ id: 'c', userId: 'u' });
    const refused = (message: object, options: object = {}) =>
      failureOf(store.saveMessages('c', [message as never], options));
    const lazy = { name: 'assistant', lazyId: 'FIRST', content: { text: 'x' } };
    expect(await refused(lazy)).toMatchObject({ code: 'INVALID_INPUT', path: 'messages.0.lazyId' });
    expect(await refused({ name: 'user', content: { text: 5 } })).toMatchObject({ path: 'messages.0.content.text' });
    expect(await refused({ name: 'user' })).toMatchObject({ path: 'messages.0.content' });
    expect(await refused(userMessage('m'), { onConflict: 'BOGUS' })).toMatchObject({ path: 'onConflict' });
    expect(await store.getMessages('c')).toEqual([]);
  });

  test('addMessage without data names its own argument', async () => {
    await store.createChat({ id: 'c', userId: 'u' });
    const bare = { chatId: 'c', id: 'm', parentId: null, name: 'user' };
    for (const data of [null, undefined]) {
      const refused = { code: 'INVALID_INPUT', message: 'data must be given, and not null', path: 'data' };
      expect(await failureOf(store.addMessage({ ...bare, data }))).toEqual(refused);
    }
    expect(await store.getMessage('m')).toBeNull();
  });

  test('refuses unknown fields by name, and ignores undefined ones', async () => {
    const chat = await store.createChat({ id: 'c', userId: 'u', title: undefined, createdAt: undefined } as never);
    await store.saveMessages('c', [userMessage('m')]);
    const message = (await store.getMessage('m'))!;
    const before = await stores.everything();
    const refusal = (path: string, known: string) => ({
      code: 'INVALID_INPUT',
      message: `${path} is unknown; valid are ${known}`,
      path,
    });
    const fields = 'id, lazyId, name, type, content, sourceIds';
    for (const [call, refused] of [
      [() => store.createChat({ ...chat, id: 'd' } as never), refusal('createdAt', 'id, userId, title, metadata')],
      [() => store.upsertChat({ ...chat, id: 'd' } as never), refusal('createdAt', 'id, userId, title, metadata')],
      [() => store.updateChat('c', { updatedAt: 1 } as never), refusal('updatedAt', 'title, metadata, metadataPatch')],
      [
        () => store.listChats({ role: 'user' } as never),
        refusal('role', 'userId, includeShared, metadata, limit, offset'),
      ],
      [
        () => store.listChats({ metadata: { key: 'a', value: 1, not: true } as never }),
        refusal('metadata.not', 'key, value'),
      ],
      [() => store.deleteChat('c', { user: 'v' } as never), refusal('user', 'userId')],
      [
        () => store.saveMessages('c', [userMessage('n'), { ...userMessage('o'), createdAt: 1 } as never]),
        refusal('messages.1.createdAt', fields),
      ],
      [
        () => store.saveMessages('c', [{ ...userMessage('n'), content: { text: 'x', parts: [] } } as never]),
        refusal('messages.0.content.parts', 'text, data'),
      ],
      [
        () => store.saveMessages('c', [userMessage('n')], { parent: 'm' } as never),
        refusal('parent', 'branch, expectedHeadId, onConflict, createChat'),
      ],
      [
        () => store.addMessage({ ...message, id: 'n', parentId: 'm' }),
        refusal('createdAt', 'chatId, parentId, id, name, type, data'),
      ],
      [
        () => store.createBranch({ chatId: 'c', headMessageId: 'm', isActive: true, id: 'b' } as never),
        refusal('id', 'chatId, headMessageId, name, isActive'),
      ],
      [
        () => store.createCheckpoint({ chatId: 'c', name: 'here', messageId: 'm', createdAt: 1 } as never),
        refusal('createdAt', 'chatId, name, messageId'),
      ],
      [() => store.searchMessages('c', 'm', { role: 'user' } as never), refusal('role', 'limit, names, roles')],
      [
        () => store.searchMessages('c', 'm', { names: ['user'], roles: ['user'] }),
        { code: 'INVALID_INPUT', message: 'roles cannot be given together with names', path: 'roles' },
      ],
    ] as const) {
      expect(await failureOf(call())).toEqual(refused);
    }
    expect(await stores.everything()).toEqual(before);
  });

  describe('of chats', () => {
    test.each([
      ['an empty id', { id: '' }, 'id must not be empty', 'id'],
      ['a list as metadata', { metadata: [] as never }, 'metadata must be a JSON object', 'metadata'],
      [
        'a function in metadata',
        { metadata: { on: () => 1 } },
        'metadata cannot be stored: "on" in it is a function, which JSON does not have',
        'metadata',
      ],
    ])('refuses %s', async (_what, wrong, message, path) => {
      const failure = { code: 'INVALID_INPUT', message, path };
      expect(await failureOf(store.createChat({ id: 'c', userId: 'u', ...wrong }))).toEqual(failure);
      expect(await failureOf(store.upsertChat({ id: 'c', userId: 'u', ...wrong }))).toEqual(failure);
      expect(await store.listChats()).toEqual([]);
    });

    test.each(['nobody', 'a\0b'])('finds none with the id %j', async (id) => {
      expect(await store.getChat(id)).toBeNull();
      expect(await store.getBranch(id, 'main')).toBeNull();
      expect(await store.getCheckpoint(id, 'here')).toBeNull();
      expect(await store.deleteChat(id)).toBe(false);
      expect(await store.deleteCheckpoint(id, 'here')).toBe(false);
      const failure = notFound(`Chat "${id}"`);
      expect(await failureOf(store.updateChat(id, { title: 'x' }))).toEqual(failure);
      expect(await failureOf(store.saveMessages(id, [userMessage('a')]))).toEqual(failure);
      expect(await failureOf(store.addMessage({ chatId: id, id: 'a', parentId: null, name: 'user', data: 1 }))).toEqual(
        failure,
      );
      expect(await failureOf(store.getMessages(id))).toEqual(failure);
      expect(await failureOf(store.getActiveBranch(id))).toEqual(failure);
      expect(await failureOf(store.setActiveBranch(id, 'main'))).toEqual(failure);
      expect(await failureOf(store.listBranches(id))).toEqual(failure);
      expect(await failureOf(store.createBranch({ chatId: id, headMessageId: 'a', isActive: true }))).toEqual(failure);
      expect(await failureOf(store.createCheckpoint({ chatId: id, name: 'n', messageId: 'a' }))).toEqual(failure);
      expect(await failureOf(store.listCheckpoints(id))).toEqual(failure);
      expect(await failureOf(store.searchMessages(id, 'x'))).toEqual(failure);
      expect(await failureOf(store.getGraph(id))).toEqual(failure);
    });

    test.each([
      [{ limit: -1 }, 'limit must be a whole number of 0 or more, not -1', 'limit'],
      [{ limit: 1.5 }, 'limit must be a whole number of 0 or more, not 1.5', 'limit'],
      [{ limit: Number.NaN }, 'limit must be a whole number of 0 or more, not NaN', 'limit'],
      [{ offset: -1 }, 'offset must be a whole number of 0 or more, not -1', 'offset'],
      [{ offset: 2 ** 60 }, `offset must be a whole number of 0 or more, not ${2 ** 60}`, 'offset'],
      [
        { metadata: { key: 'a', value: [4n] } },
        'metadata.value cannot be stored: "0" in it is a BigInt, which JSON does not have',
        'metadata.value',
      ],
    ])('lists none for %o', async (options, message, path) => {
      expect(await failureOf(store.listChats(options))).toEqual({ code: 'INVALID_INPUT', message, path });
    });

    test('does not list all chats for a user without a name', async () => {
      for (const options of [{ userId: '' }, { userId: '', limit: 0 }]) {
        const { code, message } = await failureOf(store.listChats(options));
        expect([code, message]).toEqual(['INVALID_INPUT', expect.stringContaining('userId must not be empty')]);
      }
    });
  });

  describe('of messages', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    test.each<[what: string, messages: NewMessageData[], message: string, path: string]>([
      [
        'a repeated message',
        [userMessage('a'), userMessage('a')],
        'Message a cannot be its own parent',
        'messages.1.id',
      ],
      ['an empty id', [userMessage('', 'x')], 'messages.0.id must not be empty', 'messages.0.id'],
      [
        'a BigInt',
        [userMessage('ok'), { ...userMessage('a'), content: { data: { sum: 4n } } }],
        'messages.1.content.data cannot be stored: "sum" in it is a BigInt, which JSON does not have',
        'messages.1.content.data',
      ],
      [
        'cyclic data',
        [{ ...userMessage('a'), content: { data: cycle } }],
        expect.stringMatching(/^messages\.0\.content\.data cannot be stored: .*circular/) as string,
        'messages.0.content.data',
      ],
    ])('saves nothing with %s', async (_what, messages, message, path) => {
      await store.createChat({ id: 'c', userId: 'u' });
      expect(await failureOf(store.saveMessages('c', messages))).toEqual({ code: 'INVALID_INPUT', message, path });
      expect(await store.getGraph('c')).toMatchObject({ nodes: [], branches: [{ headMessageId: null }] });
    });

    test.each(['nothing', 'x '])('finds none with the id %j', async (id) => {
      await store.createChat({ id: 'c', userId: 'u' });
      const failure = notFound(`Message "${id}"`);
      expect(await store.getMessage(id)).toBeNull();
      expect(await failureOf(store.getMessageChain(id))).toEqual(failure);
      expect(await failureOf(store.hasChildren(id))).toEqual(failure);
      expect(await failureOf(store.createBranch({ chatId: 'c', headMessageId: id, isActive: true }))).toEqual(failure);
      expect(await failureOf(store.createBranch({ chatId: 'c', headMessageId: id, isActive: false }))).toEqual(failure);
      expect(await failureOf(store.createCheckpoint({ chatId: 'c', name: 'n', messageId: id }))).toEqual(failure);
    });
  });
});
