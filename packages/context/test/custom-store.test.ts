/** An engine on a store of the 23 methods of @deepagents/context. */
import { beforeEach, describe, expect, test } from 'vitest';
import {
  assistant,
  ContextEngine,
  ContextStore,
  hint,
  lastAssistantMessage,
  user,
  XmlRenderer,
  type BranchData,
  type ChatData,
} from '@parley/context';
import { MapStore } from './map-store.js';

let store: MapStore;
let context: ContextEngine;
const renderer = new XmlRenderer();
const open = () => new ContextEngine({ store, chatId: 'c', userId: 'u' });
const idsOf = async (engine = context) => (await engine.resolve({ renderer })).messages.map(({ id }) => id);

beforeEach(async () => {
  store = new MapStore();
  context = open().set(hint('Be brief.'), user('2 + 2?', { id: 'q' }), assistant('5', { id: 'a' }));
  await context.save();
});

describe('an engine on a store without saveMessages', () => {
  test('saves messages in order, and another engine reads them', async () => {
    const { branch } = await context.set(user('Sure?', { id: 'q2' })).save();
    expect(branch).toMatchObject({ name: 'main', headMessageId: 'q2', messageCount: 3, isActive: true });
    expect(await idsOf(open())).toEqual(['q', 'a', 'q2']);
    expect((await store.getMessage('q2'))?.data).toEqual({
      id: 'q2',
      role: 'user',
      parts: [{ type: 'text', text: 'Sure?' }],
    });
    const { systemPrompt } = await context.resolve({ renderer });
    expect(systemPrompt).toBe('<hint>Be brief.</hint>');
  });

  test('saves an edit as a new message on a new active branch, also of a root', async () => {
    const { branch, branched, messages } = await context.set(assistant('4', { id: 'a' })).save();
    expect({ branched, ...branch }).toMatchObject({ branched: true, name: 'main-v2', isActive: true });
    expect(messages).toMatchObject([{ parentId: 'q', data: { id: messages[0]?.id, parts: [{ text: '4' }] } }]);
    expect(await store.getMessage('a')).toMatchObject({ data: { parts: [{ text: '5' }] } });
    const root = await context.set(user('3 + 3?', { id: 'q' })).save();
    expect(root.messages).toMatchObject([{ parentId: null }]);
    expect(await idsOf()).toEqual([root.messages[0]?.id]);
  });

  test('writes nothing twice, and resolves a lazy id', async () => {
    expect(await context.set(assistant('5', { id: 'a' })).save()).toMatchObject({ branched: false });
    expect(await store.getMessages('c')).toHaveLength(2);
    const { messages } = await context.set(lastAssistantMessage('4')).save();
    expect(messages).toMatchObject([{ parentId: 'q', name: 'assistant' }]);
  });

  test('refuses or forks when the head has moved, and refuses a message of another chat', async () => {
    await open()
      .set(user('Meanwhile', { id: 'm' }))
      .save();
    context.set(user('Late', { id: 'late' }));
    await expect(context.save({ expectedHeadId: 'a' })).rejects.toMatchObject({ code: 'HEAD_CONFLICT' });
    expect(await context.save({ expectedHeadId: 'a', onConflict: 'FORK' })).toMatchObject({
      branched: true,
      messages: [{ parentId: 'a' }],
    });
    const other = new ContextEngine({ store, chatId: 'other', userId: 'u' }).set(user('x', { id: 'q' }));
    await expect(other.save()).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
  });

  test('rewinds, switches, and restores checkpoints', async () => {
    await context.checkpoint('first');
    expect(await context.rewind('q')).toMatchObject({ name: 'main-v2', headMessageId: 'q', isActive: true });
    await context.set(assistant('4', { id: 'a4' })).save();
    expect(await context.btw()).toMatchObject({ headMessageId: 'a4', isActive: false });
    await context.switchBranch('main');
    expect(await idsOf()).toEqual(['q', 'a']);
    await context.restore('first');
    expect(context.headMessageId).toBe('a');
    await expect(context.restore('nowhere')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('repeats a save that failed halfway', async () => {
    const add = store.addMessage.bind(store);
    let calls = 0;
    store.addMessage = (message) => (++calls === 2 ? Promise.reject(new Error('disk full')) : add(message));
    context.set(user('1', { id: 'm1' }), user('2', { id: 'm2' }));
    await expect(context.save()).rejects.toThrow('disk full');
    expect(context.pendingMessages).toHaveLength(2);
    await context.save();
    expect(await idsOf()).toEqual(['q', 'a', 'm1', 'm2']);
  });

  test('reports the methods that the store does not support', async () => {
    const refused = (method: string) => ({ code: 'NOT_SUPPORTED', message: `The store does not support ${method}` });
    await expect(context.stream(['x'])).rejects.toMatchObject(refused('startDraft'));
    await expect(store.renameBranch('c', 'main', 'x')).rejects.toMatchObject(refused('renameBranch'));
    await expect(store.deleteBranch('c', 'main')).rejects.toMatchObject(refused('deleteBranch'));
    await expect(store.saveMessages('c', [])).rejects.toMatchObject(refused('saveMessages'));
    await expect(store.listDrafts('c')).rejects.toMatchObject(refused('listDrafts'));
    expect(() => store.followDraft('c', 'd')).toThrow(expect.objectContaining(refused('followDraft')));
  });
});

test('a store with neither saveMessages nor addMessage is reported', async () => {
  const incomplete = new MapStore();
  incomplete.addMessage = ContextStore.prototype.addMessage;
  const engine = new ContextEngine({ store: incomplete, chatId: 'c', userId: 'u' }).set(user('x'));
  await expect(engine.save()).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
});

test('a chat without a branch gets the branch main', async () => {
  const [branch] = (await store.listBranches('c')) as [BranchData];
  expect(branch).toMatchObject({ name: 'main', isActive: true });
  const [chat] = (await store.listChats()) as [ChatData];
  expect(chat).toMatchObject({ id: 'c', userId: 'u' });
});
