/** Overlapping saves, and saves whose response is lost. */
import { describe, expect, test } from 'vitest';
import {
  assistant,
  ContextEngine,
  hint,
  lastAssistantMessage,
  messageCodec,
  RemoteStore,
  user,
  type ContextFragment,
} from '@parley/context';
import { failureOf } from '../store-failure.js';
import { openStores } from '../stores.js';
import { renderer, names } from './model-input.js';

const stores = openStores();

test('messages that are set during a save are not lost', async () => {
  const during: ContextFragment[] = [];
  const store = new RemoteStore({
    url: stores.url,
    async fetch(...request) {
      engine.set(...during.splice(0));
      return fetch(...request);
    },
  });
  const engine = new ContextEngine({ store, chatId: 'c', userId: 'u' });
  await engine.resolve({ renderer });
  engine.set(user('first', { id: 'm1' }));
  during.push(user('second', { id: 'm2' }), hint('later'));
  expect((await engine.save()).messages).toMatchObject([{ id: 'm1' }]);
  expect(engine.pendingMessages).toMatchObject([{ id: 'm2' }]);
  expect(names(engine.fragments)).toEqual(['hint']);
  during.push(user('third', { id: 'm3' }));
  await engine.resolve({ renderer });
  expect((await engine.save()).messages).toMatchObject([{ id: 'm2' }, { id: 'm3' }]);
});

describe('a save whose response is lost', () => {
  /** A store that loses the next response of a kind after executing the request. */
  function losing() {
    let kind: string | null = null;
    const store = new RemoteStore({
      url: stores.url,
      async fetch(url, request) {
        const response = await fetch(url, request);
        if (kind === null || !(request?.body as string).includes(kind)) return response;
        await response.text();
        kind = null;
        throw new TypeError('the connection was cut');
      },
    });
    return { store, lose: (next: string) => void (kind = next) };
  }

  test.each<[what: string, fragments: ContextFragment[]]>([
    ['new messages', [user('Hello', { id: 'q2' }), assistant('Hi')]],
    ['an edit', [user('Three and three?', { id: 'q1' }), assistant('Six.')]],
    ['a lazy id', [lastAssistantMessage('Four.')]],
    ['a lazy id after another message', [user('Sure?'), lastAssistantMessage('No, four.')]],
    ['messages without ids', [{ name: 'user', data: 1, type: 'message', codec: messageCodec({ any: 'shape' }) }]],
  ])('is repeated, and writes nothing twice: %s', async (_what, fragments) => {
    const { store, lose } = losing();
    const engine = new ContextEngine({ store, chatId: 'c', userId: 'u' });
    await engine.set(user('Two and two?', { id: 'q1' }), assistant('Five.', { id: 'a1' })).save();
    engine.set(...fragments);
    lose('SaveMessages');
    expect(await failureOf(engine.save())).toEqual({
      code: 'UNAVAILABLE',
      message: `${stores.url} does not answer: the connection was cut`,
      path: null,
    });
    expect(engine.pendingMessages).toHaveLength(fragments.length);
    const written = await stores.everything();
    const { messages, branch } = await engine.save();
    expect(await stores.everything()).toEqual(written);
    expect(messages).toHaveLength(fragments.length);
    expect([engine.pendingMessages, engine.headMessageId]).toEqual([[], messages.at(-1)?.id]);
    expect(branch.headMessageId).toBe(messages.at(-1)?.id);
  });

  test('by FORK is repeated, and the engine continues on the fork', async () => {
    const { store, lose } = losing();
    const engine = new ContextEngine({ store, chatId: 'c', userId: 'u' });
    await engine.set(user('Two and two?', { id: 'q1' }), assistant('Five.', { id: 'a1' })).save();
    await store.saveMessages('c', [{ name: 'user', content: { text: 'theirs' } }]);
    engine.set(user('Sure?', { id: 'q2' }));
    const options = { expectedHeadId: 'a1', onConflict: 'FORK' } as const;
    lose('SaveMessages');
    expect(await failureOf(engine.save(options))).toMatchObject({ code: 'UNAVAILABLE' });
    const written = await stores.everything();
    expect(await engine.save(options)).toMatchObject({ branch: { name: 'main-v2', headMessageId: 'q2' } });
    expect(await stores.everything()).toEqual(written);
    expect([engine.branch, engine.headMessageId]).toEqual(['main-v2', 'q2']);
  });

  test('is repeated after the creation of the chat', async () => {
    const { store, lose } = losing();
    const engine = new ContextEngine({ store, chatId: 'c', userId: 'u', metadata: { a: 1 } }).set(user('q'));
    for (const kind of ['UpsertChat', 'UpdateChat', 'GetActiveBranch']) {
      lose(kind);
      expect(await failureOf(engine.save())).toMatchObject({ code: 'UNAVAILABLE' });
      expect(names(engine.pendingMessages)).toEqual(['user']);
    }
    expect(await engine.save()).toMatchObject({ messages: [{ name: 'user' }], branch: { name: 'main' } });
    expect(engine.chat).toMatchObject({ metadata: { a: 1 } });
  });
});
