/** An engine saves messages that draw on other branches. */
import { beforeEach, describe, expect, test } from 'vitest';
import { assistant, hint, user, type ContextEngine, type ContextStore } from '@parley/context';
import { failureOf } from '../store-failure.js';
import { enginesOn, openStores, STORE_NAMES } from '../stores.js';

const stores = openStores();

describe.each(STORE_NAMES)('an engine, %s,', (storeName) => {
  let store: ContextStore;

  beforeEach(() => void (store = stores.get(storeName)));

  const { open } = enginesOn(() => store);

  /** main: q ← a; the branches one and two leave after q, and end in messages of the same names. */
  async function branched(): Promise<ContextEngine> {
    const engine = open().set(user('q', { id: 'q' }), assistant('a', { id: 'a' }));
    await engine.save();
    for (const name of ['one', 'two']) {
      await store.createBranch({ chatId: 'c', headMessageId: 'q', name, isActive: false });
      const message = { id: name, name: 'assistant', content: { text: name } };
      await store.saveMessages('c', [message], { branch: name });
    }
    return engine;
  }

  const sourcesOf = async (id: string) => {
    const { nodes } = await store.getGraph('c');
    return nodes.find((node) => node.id === id)?.sourceIds;
  };

  test('saves the pending messages, and a message with the heads of other branches as its sources', async () => {
    const engine = (await branched()).set(user('Both?', { id: 'both' }));
    const { branch, messages } = await engine.merge({
      branch: ['two', 'one'],
      message: assistant('one and two', { id: 'x' }),
    });
    expect(messages.map(({ id, parentId, name }) => [id, parentId, name])).toEqual([
      ['both', 'a', 'user'],
      ['x', 'both', 'assistant'],
    ]);
    expect([branch.name, engine.headMessageId, engine.pendingMessages]).toEqual(['main', 'x', []]);
    expect([await sourcesOf('x'), await sourcesOf('both')]).toEqual([['two', 'one'], undefined]);
  });

  test('takes the name of one branch and a text', async () => {
    const engine = await branched();
    const { messages } = await engine.merge({ branch: 'one', message: 'Found in one.' });
    expect(messages).toMatchObject([{ name: 'user', parentId: 'a' }]);
    expect(await sourcesOf(messages[0]!.id)).toEqual(['one']);
  });

  test('writes a repeated merge once', async () => {
    const engine = await branched();
    for (let n = 0; n < 2; n++) {
      const { branched } = await engine.merge({ branch: 'one', message: assistant('one', { id: 'x' }) });
      expect(branched).toBe(false);
    }
    expect((await store.getMessages('c')).map(({ id }) => id)).toEqual(['q', 'a', 'x']);
  });

  test.each<[string, object, object]>([
    ['a missing branch', { branch: 'three', message: 'x' }, { code: 'NOT_FOUND' }],
    ['its own branch', { branch: 'main', message: 'x' }, { message: 'branch "main" is the branch of the engine' }],
    ['no branch', { branch: [], message: 'x' }, { message: 'branch must be the name of a branch, or 1 to 16 names' }],
    ['a fragment that is no message', { branch: 'one', message: hint('x') }, { message: 'message must be a message' }],
    ['null', { branch: 'one', message: null }, { code: 'INVALID_INPUT' }],
  ])('refuses %s, and writes nothing', async (_, options, failure) => {
    const engine = (await branched()).set(user('pending'));
    expect(await failureOf(engine.merge(options as never))).toMatchObject(failure);
    expect(engine.pendingMessages).toHaveLength(1);
    expect(await store.getMessages('c')).toHaveLength(2);
  });

  test('refuses a branch without messages', async () => {
    const engine = await branched();
    await store.createBranch({ chatId: 'c', headMessageId: null, name: 'empty', isActive: false });
    expect(await failureOf(engine.merge({ branch: 'empty', message: 'x' }))).toMatchObject({
      message: 'Branch "empty" has no messages to merge',
    });
  });

  test('refuses sources that are no array', async () => {
    await branched();
    const message = { name: 'user', content: { text: 'x' }, sourceIds: 'q' as never };
    expect(await failureOf(store.saveMessages('c', [message]))).toMatchObject({
      message: 'messages.0.sourceIds must be an array',
    });
  });
});
