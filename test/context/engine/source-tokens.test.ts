/** An engine renders what messages draw on. */
import { beforeEach, describe, expect, test } from 'vitest';
import { assistant, user, type ContextEngine, type ContextStore } from '@parley/context';
import { failureOf } from '../store-failure.js';
import { enginesOn, openStores, STORE_NAMES } from '../stores.js';
import { renderer } from './model-input.js';

const stores = openStores();

const rendered = (...messages: [author: string, text: string][]) => [
  '<source>',
  ...messages.flatMap(([author, text]) => [
    '  <message>',
    `    <author>${author}</author>`,
    `    <text>${text}</text>`,
    '  </message>',
  ]),
  '</source>',
];

describe.each(STORE_NAMES)('an engine, %s,', (storeName) => {
  let store: ContextStore;

  beforeEach(() => void (store = stores.get(storeName)));

  const { open } = enginesOn(() => store);

  const append = (branch: string, ...turns: [id: string, name: string][]) =>
    store.saveMessages(
      'c',
      turns.map(([id, name]) => ({ id, name, content: { text: `${id} says & asks` } })),
      { branch },
    );

  /** main: q ← a; one: q ← one-q ← one-a; two: q ← two-a. */
  async function branched(): Promise<ContextEngine> {
    const engine = open().set(user('q', { id: 'q' }), assistant('a', { id: 'a' }));
    await engine.save();
    for (const name of ['one', 'two']) {
      await store.createBranch({ chatId: 'c', headMessageId: 'q', name, isActive: false });
    }
    await append('one', ['one-q', 'user'], ['one-a', 'assistant']);
    await append('two', ['two-a', 'assistant']);
    return engine;
  }

  const resolve = async (engine: ContextEngine, options: object = {}) => {
    const { messages, estimatedTokens } = await engine.resolve({ renderer, sourceTokens: 100, ...options });
    return { messages, ids: messages.map(({ id }) => id), estimatedTokens };
  };
  const textsOf = ({ messages }: Awaited<ReturnType<typeof resolve>>, id: string) =>
    messages.find((each) => each.id === id)?.parts.map((part) => String(part['text']).split('\n'));

  test('puts the messages of each source since the common ancestor before the message that draws on them', async () => {
    const engine = await branched();
    await engine.merge({ branch: ['two', 'one'], message: assistant('both', { id: 'x' }) });
    engine.set(user('And now?', { id: 'next' }));
    const found = await resolve(engine);
    expect(found.ids).toEqual(['q', 'a', 'x:sources', 'x', 'next']);
    expect(found.messages[2]).toMatchObject({ role: 'user', parts: [{ type: 'text' }, { type: 'text' }] });
    expect(textsOf(found, 'x:sources')).toEqual([
      rendered(['assistant', 'two-a says &amp; asks']),
      rendered(['user', 'one-q says &amp; asks'], ['assistant', 'one-a says &amp; asks']),
    ]);
    expect((await engine.resolve({ renderer })).messages.map(({ id }) => id)).toEqual(['q', 'a', 'x', 'next']);
  });

  test('keeps the newest messages of a side that fit, and leaves out a side of which none does', async () => {
    const engine = await branched();
    await append('two', ['two-long'.padEnd(60, '.'), 'user']);
    await engine.merge({ branch: ['one', 'two'], message: assistant('both', { id: 'x' }) });
    const fragment = rendered(['assistant', 'one-a says &amp; asks']).join('\n');
    const sourceTokens = Math.ceil(fragment.length / 4);
    const found = await resolve(engine, { sourceTokens });
    expect(textsOf(found, 'x:sources')).toEqual([fragment.split('\n')]);
    expect((await resolve(engine, { sourceTokens: sourceTokens - 1 })).ids).toEqual(['q', 'a', 'x']);
    const words = await resolve(engine, { sourceTokens: 10, countTokens: (text: string) => text.split(/\s+/).length });
    expect(textsOf(words, 'x:sources')).toHaveLength(2);
  });

  test('finds the common ancestor before the messages that the window keeps', async () => {
    const engine = await branched();
    await engine.merge({ branch: 'one', message: assistant('one', { id: 'x' }) });
    const found = await resolve(engine, { lastMessages: 1 });
    expect(found.ids).toEqual(['x:sources', 'x']);
    expect(textsOf(found, 'x:sources')?.[0]?.join()).not.toContain('q</text>');
    await engine.save();
    await append('main', ['later', 'user']);
    expect((await resolve(engine, { lastMessages: 1 })).ids).toEqual(['later']);
  });

  test('a later merge has the messages since the earlier one only if they are no part of its own path', async () => {
    const engine = await branched();
    await engine.merge({ branch: 'one', message: assistant('x', { id: 'x' }) });
    await store.createBranch({ chatId: 'c', headMessageId: 'x', name: 'three', isActive: false });
    await append('three', ['three-a', 'assistant']);
    const sourceIds = ['three-a', 'q', 'two-a'];
    await store.saveMessages('c', [{ id: 'y', name: 'tool', content: { text: 'y' }, sourceIds }]);
    const found = await resolve(open());
    // Not between the result of a tool and its call.
    expect(found.ids).toEqual(['q', 'a', 'x:sources', 'y:sources', 'x', 'y']);
    expect(textsOf(found, 'y:sources')).toEqual([
      rendered(['assistant', 'three-a says &amp; asks']),
      rendered(['assistant', 'two-a says &amp; asks']),
    ]);
  });

  test('leaves out messages of a side that have no text', async () => {
    const engine = await branched();
    const data = { id: 'call', role: 'assistant', parts: [{ type: 'tool-search', toolCallId: 't', input: {} }] };
    await store.saveMessages('c', [{ id: 'call', name: 'assistant', content: { data } }], { branch: 'two' });
    await engine.merge({ branch: 'two', message: assistant('two', { id: 'x' }) });
    expect(textsOf(await resolve(engine), 'x:sources')).toEqual([rendered(['assistant', 'two-a says &amp; asks'])]);
  });

  test('another engine on the chat resolves the merge, with a parent, too', async () => {
    const engine = await branched();
    const other = open();
    await other.resolve({ renderer });
    await engine.merge({ branch: 'one', message: assistant('one', { id: 'x' }) });
    await append('main', ['later', 'user']);
    expect((await resolve(other)).ids).toEqual(['q', 'a', 'x:sources', 'x', 'later']);
    expect((await resolve(other, { parentId: 'x' })).ids).toEqual(['q', 'a', 'x:sources', 'x']);
    expect((await resolve(other, { parentId: 'a' })).ids).toEqual(['q', 'a']);
  });

  test('renders the newest 32 sources, and all of a message or none', async () => {
    const engine = await branched();
    const sides = Array.from({ length: 15 }, (_, n) => `s${n}`);
    for (const id of sides) await store.addMessage({ chatId: 'c', parentId: 'q', id, name: 'user', data: id });
    const merge = (id: string, sourceIds: string[]) => ({ id, name: 'user', content: { text: id }, sourceIds });
    await store.saveMessages(
      'c',
      [merge('x', ['two-a', 'one-a']), merge('y', ['two-a', ...sides]), merge('z', ['one-a', ...sides])],
      { branch: 'main' },
    );
    await engine.switchBranch('main');
    expect((await resolve(engine)).ids).toEqual(['q', 'a', 'x', 'y:sources', 'y', 'z:sources', 'z']);
  });

  test('counts the sources of a call, and lists them', async () => {
    const engine = await branched();
    await engine.merge({ branch: ['one', 'two'], message: assistant('both', { id: 'x' }) });
    const options = { renderer, sourceTokens: 100 };
    const { sources } = await engine.inspect(options);
    expect(sources.map(({ messageId, sourceId }) => [messageId, sourceId])).toEqual([
      ['x', 'one-a'],
      ['x', 'two-a'],
    ]);
    const tokens = sources.reduce((sum, each) => sum + each.tokens, 0);
    const estimate = await engine.estimate(options);
    expect(estimate).toMatchObject({ sources: tokens + 4, total: (await resolve(engine)).estimatedTokens });
    expect(await engine.estimate({ renderer })).toMatchObject({ sources: 0, total: estimate.total - tokens - 4 });
    expect((await engine.inspect({ renderer })).sources).toEqual([]);
  });

  test.each([0, -1, 1.5, 100_001])('refuses %d tokens', async (sourceTokens) => {
    const message = `sourceTokens must be a whole number from 1 to 100000, not ${sourceTokens}`;
    const failure = { code: 'INVALID_INPUT', message, path: 'sourceTokens' };
    expect(await failureOf(open().resolve({ renderer, sourceTokens }))).toEqual(failure);
  });

  test('a store refuses messages of a missing chat, and a length out of range', async () => {
    await branched();
    const path = await store.getMessageChain('a');
    expect(await store.getSourcePaths([], 1)).toEqual([]);
    expect(await failureOf(store.getSourcePaths(path, 101))).toMatchObject({ path: 'length' });
    const elsewhere = path.map((message) => ({ ...message, chatId: 'missing' }));
    expect(await failureOf(store.getSourcePaths(elsewhere, 1))).toMatchObject({ code: 'NOT_FOUND' });
  });
});
