/** Chats of each store: reading, searching, deleting. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { ContextStore, SearchOptions } from '@parley/context';
import { failureOf } from '../store-failure.js';
import { openStores, STORE_NAMES } from '../stores.js';
import { aNumber, aText, userMessage, answered, ids, chatOfFour } from './store-messages.js';

const stores = openStores();

describe.each(STORE_NAMES)('the store %s', (storeName) => {
  let store: ContextStore;

  beforeEach(() => void (store = stores.get(storeName)));

  describe('of chats', () => {
    test('creates a chat with an empty active branch main', async () => {
      const before = Date.now();
      const chat = await store.createChat({ id: 'c', userId: 'u', title: 'Sums', metadata: { tags: ['a'] } });
      expect(chat).toStrictEqual({
        id: 'c',
        userId: 'u',
        title: 'Sums',
        metadata: { tags: ['a'] },
        createdAt: aNumber,
        updatedAt: chat.createdAt,
      });
      expect(chat.createdAt).toBeGreaterThanOrEqual(before);
      expect(chat.createdAt).toBeLessThanOrEqual(Date.now());
      expect(await store.getChat('c')).toStrictEqual(chat);
      expect(await store.getActiveBranch('c')).toStrictEqual({
        id: aText,
        chatId: 'c',
        name: 'main',
        headMessageId: null,
        isActive: true,
        messageCount: 0,
        createdAt: chat.createdAt,
      });
      expect(await store.getMessages('c')).toStrictEqual([]);
    });

    test('returns an existing chat unchanged from upsert', async () => {
      const made = await store.upsertChat({ id: 'c', userId: 'u', title: 'first' });
      expect(made).toMatchObject({ id: 'c', userId: 'u', title: 'first', metadata: {} });
      const again = await store.upsertChat({ id: 'c', userId: 'u', title: 'second', metadata: { a: 1 } });
      expect(again).toStrictEqual(made);
    });

    test('changes the title and the metadata, as a whole or by a patch', async () => {
      const before = await store.createChat({ id: 'c', userId: 'u', title: 'a', metadata: { x: 1, y: { z: 2 } } });
      const titled = await store.updateChat('c', { title: 'b' });
      expect(titled).toStrictEqual({ ...before, title: 'b', updatedAt: aNumber });
      expect(titled.updatedAt).toBeGreaterThanOrEqual(before.updatedAt);
      expect(await store.getChat('c')).toStrictEqual(titled);
      const patched = await store.updateChat('c', { metadataPatch: { x: null, y: { w: 3 } } });
      expect(patched).toMatchObject({ title: 'b', metadata: { y: { z: 2, w: 3 } } });
      expect(patched.metadata).not.toHaveProperty('x');
      expect((await store.updateChat('c', { title: null, metadata: { only: true } })).metadata).toEqual({ only: true });
      expect(await store.getChat('c')).toMatchObject({ title: null, metadata: { only: true } });
    });

    test('changes nothing for both metadata and a patch, or invalid metadata', async () => {
      const chat = await store.createChat({ id: 'c', userId: 'u' });
      expect(await failureOf(store.updateChat('c', { metadata: {}, metadataPatch: {} }))).toEqual({
        code: 'INVALID_INPUT',
        message: 'metadataPatch cannot be given together with metadata',
        path: 'metadataPatch',
      });
      expect(await failureOf(store.updateChat('c', { metadataPatch: { big: 1n } }))).toEqual({
        code: 'INVALID_INPUT',
        message: 'metadataPatch cannot be stored: "big" in it is a BigInt, which JSON does not have',
        path: 'metadataPatch',
      });
      expect(await failureOf(store.updateChat('c', { title: '' }))).toMatchObject({ path: 'title' });
      expect(await store.getChat('c')).toStrictEqual(chat);
    });

    test('lists them, newest update first', async () => {
      for (const [id, userId] of [
        ['a', 'u'],
        ['b', 'v'],
        ['c', 'u'],
      ] as const) {
        const { updatedAt } = await store.createChat({
          id,
          userId,
          metadata: { even: id === 'b', of: { user: userId, team: 1 } },
        });
        // The order is by milliseconds.
        while (Date.now() === updatedAt);
      }
      const { updatedAt } = await store.updateChat('a', { title: 'touched' });
      const listed = async (options?: Parameters<ContextStore['listChats']>[0]) =>
        (await store.listChats(options)).map(({ id }) => id);
      expect(await store.listChats()).toStrictEqual([
        { id: 'a', userId: 'u', title: 'touched', metadata: aMetadata(false, 'u'), createdAt: aNumber, updatedAt },
        await store.getChat('c'),
        await store.getChat('b'),
      ]);
      expect(await listed({ userId: 'u' })).toEqual(['a', 'c']);
      expect(await listed({ userId: 'nobody' })).toEqual([]);
      expect(await listed({ metadata: { key: 'even', value: true } })).toEqual(['b']);
      expect(await listed({ metadata: { key: 'of', value: { team: 1, user: 'u' } } })).toEqual(['a', 'c']);
      expect(await listed({ metadata: { key: 'of', value: { user: 'u' } } })).toEqual([]);
      expect(await listed({ metadata: { key: 'even', value: 'true' } })).toEqual([]);
      expect(await listed({ limit: 2 })).toEqual(['a', 'c']);
      expect(await listed({ limit: 2, offset: 1 })).toEqual(['c', 'b']);
      expect(await listed({ offset: 2 })).toEqual(['b']);
      expect(await listed({ offset: 3 })).toEqual([]);
      expect(await listed({ limit: 0 })).toEqual([]);
      expect(await listed({ limit: 0, offset: 1 })).toEqual([]);
      expect(await listed({ limit: 1, offset: 1, userId: 'u' })).toEqual(['c']);
      expect(await listed({ limit: 2 ** 40 })).toEqual(['a', 'c', 'b']);
    });
    const aMetadata = (even: boolean, user: string) => ({ even, of: { user, team: 1 } });

    test('deletes the chat of the given user only', async () => {
      await chatOfFour(store);
      expect(await store.deleteChat('c', { userId: 'v' })).toBe(false);
      expect(await store.deleteChat('c', { userId: '' })).toBe(false);
      expect(await store.deleteChat('d', { userId: 'u' })).toBe(false);
      expect(await store.getMessages('c')).toHaveLength(4);
      expect(await store.deleteChat('c', { userId: 'u' })).toBe(true);
      expect(await store.getChat('c')).toBeNull();
    });

    test('deletes a chat with all its rows', async () => {
      await chatOfFour(store);
      await store.createCheckpoint({ chatId: 'c', name: 'here', messageId: 'm2' });
      expect(await store.deleteChat('c')).toBe(true);
      expect(await store.getChat('c')).toBeNull();
      expect(await store.getMessage('m1')).toBeNull();
      expect(await store.deleteChat('c')).toBe(false);
      // Its ids can be used again.
      await chatOfFour(store);
      expect(await store.listCheckpoints('c')).toEqual([]);
      expect(await store.searchMessages('c', 'm1')).toHaveLength(1);
    });
  });

  describe('in a search', () => {
    async function chatOfFruit(): Promise<void> {
      await store.createChat({ id: 'c', userId: 'u' });
      await store.saveMessages('c', [
        userMessage('m1', 'An apple & a pear'),
        answered('m2', 'apple'),
        userMessage('m3', 'plum'),
      ]);
      await store.createBranch({ chatId: 'c', headMessageId: 'm1', isActive: true });
    }

    test('finds messages of all branches, best first, with marked words', async () => {
      await chatOfFruit();
      const hits = await store.searchMessages('c', 'apple');
      expect(hits).toStrictEqual(
        await Promise.all(
          ['m2', 'm1'].map(async (id) => ({ message: await store.getMessage(id), rank: aNumber, snippet: aText })),
        ),
      );
      expect(hits.map(({ snippet }) => snippet)).toEqual(['<mark>apple</mark>', 'An <mark>apple</mark> &amp; a pear']);
      expect(hits[0]?.rank).toBeGreaterThan(hits[1]?.rank ?? Infinity);
      expect(await store.searchMessages('c', 'melon')).toEqual([]);
      expect(await store.searchMessages('c', '')).toEqual([]);
      expect(await store.searchMessages('c', '"(* AND')).toEqual([]);
    });

    test.each<[options: SearchOptions, found: string[]]>([
      [{ names: ['user'] }, ['m1']],
      [{ names: ['assistant', 'tool'] }, ['m2']],
      [{ roles: ['assistant', 'tool'] }, ['m2']],
      [{ roles: [] }, []],
      [{ names: ['user', 'assistant'] }, ['m2', 'm1']],
      [{ names: [] }, []],
      [{ names: [''] }, []],
      [{ names: ['nobody', 'a\0b'] }, []],
      [{ limit: 1 }, ['m2']],
      [{ limit: 1000 }, ['m2', 'm1']],
    ])('finds with %j: %j', async (options, found) => {
      await chatOfFruit();
      expect(ids((await store.searchMessages('c', 'apple', options)).map(({ message }) => message))).toEqual(found);
    });

    test('returns 20 hits by default, and 1 to 1000', async () => {
      await store.createChat({ id: 'c', userId: 'u' });
      await store.saveMessages(
        'c',
        Array.from({ length: 25 }, (_, n) => userMessage(`m${n}`, 'apple')),
      );
      expect(await store.searchMessages('c', 'apple')).toHaveLength(20);
      expect(await store.searchMessages('c', 'apple', { limit: 25 })).toHaveLength(25);
      for (const limit of [0, -1, 1001, 1.5, Number.NaN]) {
        const failure = {
          code: 'INVALID_INPUT',
          message: `limit must be a whole number from 1 to 1000, not ${limit}`,
          path: 'limit',
        };
        expect(await failureOf(store.searchMessages('c', 'apple', { limit }))).toEqual(failure);
        expect(await failureOf(store.searchMessages('nobody', 'apple', { limit }))).toEqual(failure);
      }
    });
  });

  test('returns the whole graph with 50 characters of each message', async () => {
    await store.createChat({ id: 'c', userId: 'u' });
    expect(await store.getGraph('c')).toMatchObject({ nodes: [], branches: [{ name: 'main' }], checkpoints: [] });
    const { messages } = await store.saveMessages('c', [
      userMessage('m1', 'x'.repeat(50)),
      answered('m2', '😀'.repeat(51)),
      { id: 'm3', name: 'tool', content: { data: { no: 'text' } } },
    ]);
    const createdAt = messages[0]?.createdAt;
    await store.createBranch({ chatId: 'c', headMessageId: 'm1', isActive: true });
    await store.createCheckpoint({ chatId: 'c', name: 'a', messageId: 'm1' });
    await store.createCheckpoint({ chatId: 'c', name: 'b', messageId: 'm3' });
    const graph = await store.getGraph('c');
    expect(graph).toStrictEqual({
      nodes: [
        { id: 'm1', parentId: null, role: 'user', content: 'x'.repeat(50), createdAt },
        { id: 'm2', parentId: 'm1', role: 'assistant', content: `${'😀'.repeat(50)}...`, createdAt },
        { id: 'm3', parentId: 'm2', role: 'tool', content: '', createdAt },
      ],
      branches: (await store.listBranches('c')).map(({ chatId: _, ...branch }) => branch),
      checkpoints: (await store.listCheckpoints('c')).map(({ chatId: _, ...checkpoint }) => checkpoint),
    });
    expect(graph.branches.map(({ name }) => name)).toEqual(['main', 'main-v2']);
    expect(graph.checkpoints.map(({ name }) => name)).toEqual(['b', 'a']);
  });
});
