/** An engine on a store of the 23 methods of @deepagents/context, written from its documents. */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { assistant, ContextEngine, ContextStore, hint, lastAssistantMessage, user, XmlRenderer } from '@parley/context';
import { Redis } from 'ioredis';
import { noRedis, redisServerPath, startRedis } from '../../../test/support/server/redis-server.js';
import { DocumentedStore, mapRows, type Rows } from './documented-store.js';

let store: DocumentedStore;
let context: ContextEngine;
const renderer = new XmlRenderer();
// The documents' types differ: see DocumentedStore.
const open = (chatId = 'c') => new ContextEngine({ store: store as object as ContextStore, chatId, userId: 'u' });
const idsOf = async (engine = context) => (await engine.resolve({ renderer })).messages.map(({ id }) => id);

async function redisRows(): Promise<Rows> {
  const { port } = await startRedis();
  const redis = new Redis(port);
  onTestFinished(() => redis.disconnect());
  return {
    all: async (table) => (await redis.hvals(table)).map((row) => JSON.parse(row) as object),
    put: (table, key, row) => redis.hset(table, key, JSON.stringify(row)),
    remove: async (table, key) => (await redis.hdel(table, key)) > 0,
  };
}

const PLACES = [
  { place: 'a Map', rowsOf: mapRows, isMissing: false },
  { place: `Redis${noRedis}`, rowsOf: redisRows, isMissing: redisServerPath === undefined },
];

describe.each(PLACES)('an engine on a store from the documents, with rows in $place', ({ rowsOf, isMissing }) => {
  beforeEach(async ({ skip }) => {
    skip(isMissing);
    store = new DocumentedStore(await rowsOf());
    context = open().set(hint('Be brief.'), user('2 + 2?', { id: 'q' }), assistant('5', { id: 'a' }));
    await context.save();
  });

  test('saves messages in order, and another engine reads them', async () => {
    const { branch } = await context.set(user('Sure?', { id: 'q2' })).save();
    expect(branch).toMatchObject({ name: 'main', headMessageId: 'q2', isActive: true });
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
    const other = open('other').set(user('x', { id: 'q' }));
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

  test('keeps the branches of several rewinds, and exactly one is active', async () => {
    const first = await context.rewind('q');
    const second = await context.rewind('q');
    expect([first.name, second.name]).toEqual(['main-v2', 'main-v2-v2']);
    expect(first.id).not.toBe(second.id);
    await context.switchBranch('main');
    const branches = await store.listBranches('c');
    expect(Object.fromEntries(branches.map(({ name, isActive }) => [name, isActive]))).toEqual({
      main: true,
      'main-v2': false,
      'main-v2-v2': false,
    });
    expect(branches.map(({ createdAt }) => typeof createdAt)).toEqual(['number', 'number', 'number']);
  });

  test('refuses rewinds to unknown messages and to those of other chats, and unknown branches', async () => {
    const other = open('other').set(user('x', { id: 'foreign' }));
    await other.save();
    for (const id of ['nothing', 'foreign']) {
      await expect(context.rewind(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    await expect(context.switchBranch('nothing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await store.listBranches('c')).toMatchObject([{ name: 'main', isActive: true }]);
  });

  test('a moved checkpoint keeps its id', async () => {
    const first = await context.checkpoint('here');
    await context.set(user('Sure?', { id: 'q2' })).save();
    expect(await context.checkpoint('here')).toMatchObject({ id: first.id, messageId: 'q2' });
    expect(await store.listCheckpoints('c')).toMatchObject([{ id: first.id, name: 'here', messageId: 'q2' }]);
  });

  test('a checkpoint has the id that the store has assigned', async () => {
    const create = store.createCheckpoint.bind(store);
    store.createCheckpoint = (checkpoint) => create({ ...checkpoint, id: 'own' });
    expect(await context.checkpoint('here')).toMatchObject({ id: 'own', messageId: 'a' });
  });

  test('patches the metadata of the chat', async () => {
    await context.updateChat({ title: 'Sums', metadata: { tags: ['a'], of: { b: 1, c: 2 } } });
    expect(await context.updateChat({ metadata: { tags: null, of: { b: null } } })).toMatchObject({
      title: 'Sums',
      metadata: { of: { c: 2 } },
    });
    expect((await store.getChat('c'))?.metadata).toEqual({ of: { c: 2 } });
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
  store = new DocumentedStore(mapRows());
  store.addMessage = ContextStore.prototype.addMessage as never;
  await expect(open().set(user('x')).save()).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
});
