/** The graph of a conversation: examples of messages, branches, checkpoints and saving. */
import { beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import {
  assistant,
  ContextEngine,
  lastAssistantMessage,
  user,
  XmlRenderer,
  type BranchData,
  type CheckpointData,
  type ContextStore,
  type MessageData,
} from '@parley/context';
import { failureOf } from '../store-failure.js';
import { openStores, STORE_NAMES } from '../stores.js';

const stores = openStores();

test('the interfaces of messages, branches and checkpoints', () => {
  expectTypeOf<MessageData>().toExtend<{
    id: string;
    chatId: string;
    parentId: string | null;
    name: string;
    type?: string;
    data: unknown;
    createdAt: number;
  }>();
  expectTypeOf<BranchData>().toExtend<{
    id: string;
    chatId: string;
    name: string;
    headMessageId: string | null;
    isActive: boolean;
    createdAt: number;
  }>();
  expectTypeOf<CheckpointData>().toEqualTypeOf<{
    id: string;
    chatId: string;
    name: string;
    messageId: string;
    createdAt: number;
  }>();
});

describe.each(STORE_NAMES)('%s', (storeName) => {
  let store: ContextStore;
  let engine: ContextEngine;
  beforeEach(() => {
    store = stores.get(storeName);
    engine = new ContextEngine({ store, chatId: 'c', userId: 'u' });
  });

  const idsTo = async (head: string) => (await store.getMessageChain(head)).map(({ id }) => id);
  /** The ids of each branch, the active one with a star. */
  async function branches(): Promise<Record<string, string[]>> {
    const all = (await store.listBranches('c')).map(async ({ name, isActive, headMessageId }) => [
      isActive ? `${name}*` : name,
      headMessageId === null ? [] : await idsTo(headMessageId),
    ]);
    return Object.fromEntries(await Promise.all(all)) as Record<string, string[]>;
  }
  const activeNames = async () =>
    (await store.listBranches('c')).flatMap(({ name, isActive }) => (isActive ? name : []));
  const threeMessages = () =>
    engine.set(user('1', { id: 'msg-1' }), assistant('2', { id: 'msg-2' }), user('3', { id: 'msg-3' })).save();

  test('messages as nodes: other paths are siblings, and no message is lost', async () => {
    await threeMessages();
    const before = await store.getMessages('c');
    await engine.rewind('msg-1');
    await engine.set(assistant('4', { id: 'msg-4' }), user('5', { id: 'msg-5' })).save();
    expect(await branches()).toEqual({
      main: ['msg-1', 'msg-2', 'msg-3'],
      'main-v2*': ['msg-1', 'msg-4', 'msg-5'],
    });
    expect(await store.getMessageChain('msg-3')).toEqual(before);
  });

  test('parentId as edges', async () => {
    await threeMessages();
    const { nodes } = await store.getGraph('c');
    expect(nodes.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['msg-1', null],
      ['msg-2', 'msg-1'],
      ['msg-3', 'msg-2'],
    ]);
  });

  test('only whole chats can be deleted', async () => {
    await threeMessages();
    await engine.checkpoint('here');
    await engine.rewind('msg-1');
    expect((await store.getGraph('c')).nodes).toHaveLength(3);
    expect(await store.deleteChat('c')).toBe(true);
    for (const id of ['msg-1', 'msg-2', 'msg-3']) expect(await store.getMessage(id)).toBeNull();
    await store.createChat({ id: 'c', userId: 'u' });
    expect(await branches()).toEqual({ 'main*': [] });
    expect(await store.listCheckpoints('c')).toEqual([]);
  });

  test('the message chain: from the root to any head', async () => {
    await threeMessages();
    expect(await idsTo('msg-3')).toEqual(['msg-1', 'msg-2', 'msg-3']);
    expect(await idsTo('msg-2')).toEqual(['msg-1', 'msg-2']);
    expect(await idsTo('msg-1')).toEqual(['msg-1']);
  });

  test('depth: a chain of hundreds is read completely', async () => {
    await store.createChat({ id: 'c', userId: 'u' });
    const data = Array.from({ length: 300 }, (_, n) => n + 1);
    await store.saveMessages(
      'c',
      data.map((each) => ({ id: `d${each}`, name: 'user', content: { data: each } })),
    );
    expect((await store.getMessageChain('d300')).map((message) => message.data)).toEqual(data);
  });

  test('addMessage refuses a message that is its own parent', async () => {
    await threeMessages();
    const message = { id: 'x', chatId: 'c', parentId: 'x', name: 'user', data: 'x' };
    expect(await failureOf(store.addMessage(message))).toEqual({
      code: 'INVALID_INPUT',
      message: 'Message x cannot be its own parent',
      path: 'parentId',
    });
    expect(await store.getMessage('x')).toBeNull();
  });

  describe('branch pointers', () => {
    test('naming progression: main, main-v2, main-v3, main-v2-v2', async () => {
      await threeMessages();
      expect((await engine.rewind('msg-1')).name).toBe('main-v2');
      await engine.switchBranch('main');
      expect((await engine.rewind('msg-1')).name).toBe('main-v3');
      await engine.switchBranch('main-v2');
      expect((await engine.rewind('msg-1')).name).toBe('main-v2-v2');
      expect(Object.keys(await branches())).toEqual(['main', 'main-v2', 'main-v3', 'main-v2-v2*']);
    });

    test('naming: one more than the highest number', async () => {
      await threeMessages();
      for (const name of ['main-v3', 'main-video', 'main-v007']) {
        await store.createBranch({ chatId: 'c', headMessageId: 'msg-1', name, isActive: false });
      }
      expect((await engine.btw()).name).toBe('main-v4');
    });

    test('naming: in another session, after the active branch', async () => {
      await threeMessages();
      await engine.rewind('msg-1');
      const later = new ContextEngine({ store, chatId: 'c', userId: 'u' });
      expect((await later.rewind('msg-1')).name).toBe('main-v2-v2');
    });

    test('a single active branch, at any time', async () => {
      await threeMessages();
      expect(await activeNames()).toEqual(['main']);
      await engine.rewind('msg-1');
      expect(await activeNames()).toEqual(['main-v2']);
      await engine.btw();
      expect(await activeNames()).toEqual(['main-v2']);
      await engine.switchBranch('main');
      expect(await activeNames()).toEqual(['main']);
      expect(await failureOf(store.setActiveBranch('c', 'of another chat'))).toMatchObject({ code: 'NOT_FOUND' });
      expect(await activeNames()).toEqual(['main']);
    });

    test('operations: rewind, btw and switchBranch', async () => {
      await threeMessages();
      const pending = () => engine.pendingMessages.length;
      engine.set(user('pending'));
      await engine.btw();
      expect([engine.branch, pending()]).toEqual(['main', 1]);
      await engine.rewind('msg-2');
      expect([engine.branch, engine.headMessageId, pending()]).toEqual(['main-v3', 'msg-2', 0]);
      engine.set(user('pending'));
      await engine.switchBranch('main-v2');
      expect([engine.branch, engine.headMessageId, pending()]).toEqual(['main-v2', 'msg-3', 0]);
      expect(await branches()).toEqual({
        main: ['msg-1', 'msg-2', 'msg-3'],
        'main-v2*': ['msg-1', 'msg-2', 'msg-3'],
        'main-v3': ['msg-1', 'msg-2'],
      });
    });
  });

  describe('checkpoint pointers', () => {
    test('unique names: an existing checkpoint is moved', async () => {
      await threeMessages();
      const first = await engine.checkpoint('here');
      await engine.set(assistant('4', { id: 'msg-4' })).save();
      const moved = await engine.checkpoint('here');
      expect([first.messageId, moved.messageId]).toEqual(['msg-3', 'msg-4']);
      expect(moved.createdAt).toBeGreaterThanOrEqual(first.createdAt);
      expect(await store.listCheckpoints('c')).toMatchObject([{ name: 'here', messageId: 'msg-4' }]);
    });

    test('a checkpoint stays when its branch moves', async () => {
      await threeMessages();
      await engine.checkpoint('here');
      await engine.set(assistant('4', { id: 'msg-4' })).save();
      expect(await store.getCheckpoint('c', 'here')).toMatchObject({ messageId: 'msg-3' });
      expect(await store.getBranch('c', 'main')).toMatchObject({ headMessageId: 'msg-4' });
    });

    test('restore creates a branch', async () => {
      await threeMessages();
      await engine.checkpoint('here');
      await engine.set(assistant('4', { id: 'msg-4' })).save();
      expect(await engine.restore('here')).toMatchObject({ name: 'main-v2', headMessageId: 'msg-3', isActive: true });
      expect((await branches())['main']).toEqual(['msg-1', 'msg-2', 'msg-3', 'msg-4']);
      expect(await failureOf(engine.restore('nowhere'))).toEqual({
        code: 'NOT_FOUND',
        message: 'Checkpoint "nowhere" not found in chat "c"',
        path: null,
      });
    });
  });

  describe('save flow', () => {
    test('the first call creates the chat and its branch', async () => {
      expect(await store.getChat('c')).toBeNull();
      await engine.save();
      expect(await branches()).toEqual({ 'main*': [] });
    });

    test('without pending messages it writes nothing', async () => {
      expect(await engine.save()).toMatchObject({ messages: [], branched: false });
    });

    test('messages are chained after the head, with one time, and the head moves', async () => {
      await threeMessages();
      const { messages, branch } = await engine.set(assistant('4', { id: 'msg-4' }), user('5', { id: 'msg-5' })).save();
      expect(messages.map(({ parentId }) => parentId)).toEqual(['msg-3', 'msg-4']);
      expect(new Set(messages.map(({ createdAt }) => createdAt)).size).toBe(1);
      expect([branch.headMessageId, engine.headMessageId]).toEqual(['msg-5', 'msg-5']);
      expect(engine.pendingMessages).toEqual([]);
    });

    test('lazy fragments are resolved before updates are detected', async () => {
      await threeMessages();
      const { messages } = await engine.set(lastAssistantMessage('two')).save();
      expect(messages).toMatchObject([{ parentId: 'msg-1' }]);
      expect(await branches()).toEqual({
        main: ['msg-1', 'msg-2', 'msg-3'],
        'main-v2*': ['msg-1', messages[0]?.id],
      });
    });

    test('update detection: before and after', async () => {
      await threeMessages();
      const { messages } = await engine.set(assistant('2, in other words', { id: 'msg-2' })).save();
      const updated = messages[0]?.id ?? '';
      expect(updated).not.toBe('msg-2');
      expect(await branches()).toEqual({
        main: ['msg-1', 'msg-2', 'msg-3'],
        'main-v2*': ['msg-1', updated],
      });
      expect((await store.getMessage('msg-2'))?.data).toMatchObject({ id: 'msg-2', parts: [{ text: '2' }] });
      expect((await store.getMessage(updated))?.data).toMatchObject({
        id: updated,
        parts: [{ text: '2, in other words' }],
      });
    });

    test('update detection: of the root, a second root', async () => {
      await threeMessages();
      const { messages } = await engine.set(user('0', { id: 'msg-1' })).save();
      expect(messages).toMatchObject([{ parentId: null }]);
      expect(await branches()).toEqual({ main: ['msg-1', 'msg-2', 'msg-3'], 'main-v2*': [messages[0]?.id] });
    });

    test('update detection: two updates in one save both become new messages', async () => {
      await threeMessages();
      const { messages } = await engine.set(user('0', { id: 'msg-1' }), assistant('0', { id: 'msg-2' })).save();
      const ids = messages.map(({ id }) => id);
      expect(new Set([...ids, 'msg-1', 'msg-2']).size).toBe(4);
      expect(await branches()).toEqual({ main: ['msg-1', 'msg-2', 'msg-3'], 'main-v2*': ids });
      expect((await engine.resolve({ renderer: new XmlRenderer() })).messages).toMatchObject([
        { parts: [{ text: '0' }] },
        { parts: [{ text: '0' }] },
      ]);
    });

    test('a repeated save creates no branch', async () => {
      await threeMessages();
      await threeMessages();
      expect(await branches()).toEqual({ 'main*': ['msg-1', 'msg-2', 'msg-3'] });
    });
  });
});
