/** The engine, from fragments and messages to the input of a model. */
import { beforeEach, describe, expect, test } from 'vitest';
import {
  assistant,
  ContextEngine,
  fragment,
  hint,
  lastAssistantMessage,
  message,
  role,
  system,
  user,
  XmlRenderer,
  type ContextStore,
  type UIMessage,
} from '@parley/context';
import { failureOf } from '../store-failure.js';
import { enginesOn, openStores } from '../stores.js';
import { renderer, uiMessage, names } from './model-input.js';

const stores = openStores();

describe('an engine', () => {
  let store: ContextStore;

  beforeEach(() => void (store = stores.get('remote')));

  const { open, openWithTurn } = enginesOn(() => store);

  describe('before its first call', () => {
    test('has its options, and has written nothing', async () => {
      const engine = open();
      expect(engine).toMatchObject({ chatId: 'c', userId: 'u', branch: 'main', headMessageId: null, chat: null });
      engine.set(role('You are helpful.'), user('Hello'));
      expect(await store.getChat('c')).toBeNull();
      expect(open({ branch: 'side' }).branch).toBe('side');
    });

    test.each(['chatId', 'userId'])('refuses an empty %s', (field) => {
      expect(() => open({ [field]: '' })).toThrow(`${field} must be a text that is not empty`);
    });
  });

  test('creates the chat, merges its metadata, and uses the active branch', async () => {
    const engine = open({ metadata: { model: 'small', draft: null } });
    await engine.resolve({ renderer });
    expect(engine.chat).toStrictEqual(await store.getChat('c'));
    expect(engine.chat).toMatchObject({ id: 'c', userId: 'u', metadata: { model: 'small' } });
    expect([engine.branch, engine.headMessageId]).toEqual(['main', null]);

    await store.saveMessages('c', [{ id: 'm1', name: 'user', content: { text: 'Hi' } }]);
    await store.createBranch({ chatId: 'c', headMessageId: 'm1', isActive: true });
    const other = open({ metadata: { model: null, tone: { is: 'dry' } } });
    await other.save();
    expect([other.branch, other.headMessageId]).toEqual(['main-v2', 'm1']);
    expect(other.chat?.metadata).toEqual({ tone: { is: 'dry' } });
  });

  test('does not change the chat of another user', async () => {
    await store.createChat({ id: 'c', userId: 'somebody else' });
    const before = await stores.everything();
    const engine = open({ metadata: { mine: true } }).set(user('Hello', { id: 'm1' }));
    const failure = { code: 'ALREADY_EXISTS', message: 'Chat "c" already exists', path: null };
    expect(await failureOf(engine.save())).toEqual(failure);
    expect(await failureOf(engine.resolve({ renderer }))).toEqual(failure);
    expect(await failureOf(engine.btw())).toEqual(failure);
    expect(await failureOf(engine.updateChat({ title: 'mine' }))).toEqual(failure);
    expect(await stores.everything()).toEqual(before);
    expect(names(engine.pendingMessages)).toEqual(['user']);
    expect(engine.chat).toBeNull();
  });

  test('separates pending messages from fragments of the system prompt', () => {
    const engine = open();
    expect(engine.set(role('r'), user('q'), hint('h'), assistant('a'), lastAssistantMessage('b'))).toBe(engine);
    engine.set(fragment('note', 'n'), { name: 'plain', data: 1, type: 'fragment' }).set();
    expect(names(engine.fragments)).toEqual(['role', 'hint', 'note', 'plain']);
    expect(names(engine.pendingMessages)).toEqual(['user', 'assistant', 'assistant']);
  });

  describe('resolving', () => {
    test('returns the rendered fragments, then saved and pending messages', async () => {
      const engine = open().set(role('You are helpful.'), user('One', { id: 'm1' }));
      expect(await engine.resolve({ renderer })).toStrictEqual({
        systemPrompt: '<role>You are helpful.</role>',
        messages: [uiMessage('m1', 'One')],
        summary: null,
        omittedMessages: 0,
        estimatedTokens: 13,
      });
      await engine.save();
      engine.set(hint('Be brief.'), message({ any: 'shape' }, { id: 'm2' }), system('Three', { id: 'm3' }));
      expect(await engine.resolve({ renderer })).toStrictEqual({
        systemPrompt: '<role>You are helpful.</role>\n<hint>Be brief.</hint>',
        messages: [uiMessage('m1', 'One'), { any: 'shape' }, uiMessage('m3', 'Three', 'system')],
        summary: null,
        omittedMessages: 0,
        estimatedTokens: 32,
      });
      expect(names(engine.pendingMessages)).toEqual(['user', 'system']);
    });

    test('includes messages of other engines', async () => {
      const engine = await openWithTurn();
      await store.saveMessages('c', [{ id: 'm3', name: 'user', content: { data: ['theirs'] } }]);
      expect((await engine.resolve({ renderer })).messages.at(-1)).toEqual(['theirs']);
      expect(engine.headMessageId).toBe('m3');
    });

    test('leaves out UIMessages without parts, saved and pending, and keeps them', async () => {
      const engine = open().set(assistant({ id: 'm1', role: 'assistant', parts: [] }), message({ parts: [] }));
      await engine.save();
      engine.set(user({ id: 'm3', role: 'user', parts: [] }), user('Four', { id: 'm4' }));
      expect((await engine.resolve({ renderer })).messages).toEqual([{ parts: [] }, uiMessage('m4', 'Four')]);
      expect((await engine.save()).messages.map(({ id }) => id)).toEqual(['m3', 'm4']);
      expect(await store.getMessages('c')).toHaveLength(4);
    });

    test('decodes by the codec of the message, not by its data', async () => {
      const codec = { decode: () => 'for the model', encode: () => ({ stored: 1 }) };
      const engine = open().set({ name: 'user', data: 'neither', type: 'message', codec });
      expect((await engine.resolve({ renderer })).messages).toEqual(['for the model']);
      const { messages } = await engine.save();
      expect(messages.map(({ data }) => data)).toEqual([{ stored: 1 }]);
      expect((await engine.resolve({ renderer })).messages).toEqual([{ stored: 1 }]);
    });

    test('renders first, and reads nothing when the renderer fails', async () => {
      const engine = open().set(user('q'));
      const refusing = new (class extends XmlRenderer {
        override render(): string {
          throw new Error('No.');
        }
      })();
      await expect(engine.resolve({ renderer: refusing })).rejects.toThrow('No.');
      expect(await store.getChat('c')).toBeNull();
      expect(names(engine.pendingMessages)).toEqual(['user']);
    });
  });

  describe('the same fragment, set again,', () => {
    test('becomes another message when its id was generated', async () => {
      const proceed = user('Please continue.');
      const engine = open();
      await engine.set(proceed, assistant('part 1')).save();
      engine.set(proceed, assistant('part 2'));
      const { messages } = await engine.resolve({ renderer });
      await engine.save();
      const saved = await store.getMessages('c');
      expect(saved.map(({ data }) => (data as UIMessage).parts[0])).toEqual(
        ['Please continue.', 'part 1', 'Please continue.', 'part 2'].map((text) => ({ type: 'text', text })),
      );
      // Each message contains its own id, also when it was resolved before the save.
      expect(saved.map(({ id, data }) => id === (data as UIMessage).id)).not.toContain(false);
      expect(messages).toEqual(saved.map(({ data }) => data));
      const elsewhere = new ContextEngine({ store, chatId: 'other', userId: 'u' });
      expect(await elsewhere.set(proceed).save()).toMatchObject({ messages: [{ chatId: 'other' }] });
    });

    test('becomes another message as a copy, too', async () => {
      const proceed = { ...user('Go on.'), metadata: { kind: 'prompt' } };
      const engine = open();
      for (let n = 0; n < 3; n++) await engine.set(proceed).save();
      expect(await store.getMessages('c')).toHaveLength(3);
    });
  });

  test('an invalid renderer is refused by name', async () => {
    const wrong = { renderer: 'XML' as never };
    expect(await failureOf(open().resolve(wrong))).toMatchObject({ code: 'INVALID_INPUT', path: 'renderer' });
    expect(await failureOf(open().resolve(undefined as never))).toMatchObject({ path: 'renderer' });
  });

  test('unsaved fragments are shown once, and have no versions', async () => {
    const engine = await openWithTurn();
    engine.set({ ...assistant('Hm.', { id: 'scratch' }), persist: false }, lastAssistantMessage('Four.'));
    const { messages } = await engine.resolve({ renderer });
    expect(messages.slice(-2)).toEqual([
      uiMessage('scratch', 'Hm.', 'assistant'),
      uiMessage('a1', 'Four.', 'assistant'),
    ]);
    const saved = await engine.save();
    expect(saved.messages).toMatchObject([{ parentId: 'q1', data: { parts: [{ text: 'Four.' }] } }]);
    expect(engine.pendingMessages).toEqual([]);
    const other = new ContextEngine({ store, chatId: 'other', userId: 'u' });
    other.set({ ...lastAssistantMessage('secret'), persist: false });
    expect((await other.resolve({ renderer })).messages).toHaveLength(1);
    await other.save();
    expect(await store.getMessages('other')).toEqual([]);
  });

  test('a message that cannot be saved is refused by resolve(), and can be removed', async () => {
    const engine = await openWithTurn();
    engine.set(user('1', { id: 'same' }), message({ at: new Map() }, { id: 'map' }), user('2', { id: 'same' }));
    expect(await failureOf(engine.resolve({ renderer }))).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('"at" in it is a Map') as string,
    });
    expect(engine.clearPending().map(({ id }) => id)).toEqual(['same', 'map', 'same']);
    expect(engine.pendingMessages).toEqual([]);
    engine.set(...Array.from({ length: 501 }, () => user('x')));
    expect(await failureOf(engine.save())).toMatchObject({
      message: '501 messages are pending, but one save takes 500 at most',
    });
    engine.clearPending();
    expect((await engine.resolve({ renderer })).messages).toHaveLength(2);
  });

  test('an error names a codec that cannot decode', async () => {
    const codec = { encode: () => 'x', decode: () => JSON.parse('{') as unknown };
    const engine = open().set({ name: 'tool', data: 'x', type: 'message', codec });
    expect(await failureOf(engine.resolve({ renderer }))).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/^Fragment "tool": its data cannot be decoded: /) as string,
    });
  });

  test('an edit of a text has its new id, also with undefined fields', async () => {
    const engine = await openWithTurn();
    const edited = { ...uiMessage('q1', 'Three and three?'), role: 'user' as const, metadata: undefined };
    const { messages } = await engine.set(user(edited)).save();
    expect(messages).toMatchObject([{ data: { id: messages[0]?.id } }]);
    expect(messages[0]?.id).not.toBe('q1');
  });
});
