/** The engine, from fragments and messages to what a model is called with, on each store. */
import { beforeEach, describe, expect, test } from 'vitest';
import {
  assistant,
  ContextEngine,
  fragment,
  hint,
  lastAssistantMessage,
  message,
  messageCodec,
  RemoteStore,
  role,
  system,
  user,
  XmlRenderer,
  type ContextFragment,
  type ContextStore,
  type UIMessage,
} from '@parley/context';
import { failureOf } from './store-failure.js';
import { enginesOn, openStores, STORE_NAMES } from './stores.js';

const stores = openStores();
const renderer = new XmlRenderer();

/** What a model is given of a text. */
const uiMessage = (id: string, text: string, name = 'user') => ({ id, role: name, parts: [{ type: 'text', text }] });
const names = (fragments: readonly ContextFragment[]) => fragments.map(({ name }) => name);

describe.each(STORE_NAMES)('an engine, %s,', (storeName) => {
  let store: ContextStore;
  beforeEach(() => void (store = stores.get(storeName)));
  const { open, openWithTurn, branches } = enginesOn(() => store);

  describe('before it has looked,', () => {
    test('knows what it was made with, and has written nothing', async () => {
      const engine = open();
      expect(engine).toMatchObject({ chatId: 'c', userId: 'u', branch: 'main', headMessageId: null, chat: null });
      engine.set(role('You are helpful.'), user('Hello'));
      expect(await store.getChat('c')).toBeNull();
      expect(open({ branch: 'side' }).branch).toBe('side');
    });

    test.each(['chatId', 'userId'])('is not made with an empty %s', (field) => {
      expect(() => open({ [field]: '' })).toThrow(`${field} must be a text that is not empty`);
    });
  });

  test('makes the chat, merges its metadata into it, and works on the active branch', async () => {
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

  test('works on the given branch, which must exist', async () => {
    await openWithTurn();
    await store.createBranch({ chatId: 'c', headMessageId: 'q1', name: 'side', isActive: false });
    const engine = open({ branch: 'side' });
    expect((await engine.resolve({ renderer })).messages).toEqual([uiMessage('q1', 'Two and two?')]);
    expect([engine.branch, engine.headMessageId]).toEqual(['side', 'q1']);
    expect(await failureOf(open({ branch: 'nowhere' }).resolve({ renderer }))).toEqual({
      code: 'NOT_FOUND',
      message: 'Branch "nowhere" not found in chat "c"',
      path: null,
    });
  });

  test('does not touch the chat of another user', async () => {
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

  test('keeps messages for saving, and all else for the system prompt', () => {
    const engine = open();
    expect(engine.set(role('r'), user('q'), hint('h'), assistant('a'), lastAssistantMessage('b'))).toBe(engine);
    engine.set(fragment('note', 'n'), { name: 'plain', data: 1, type: 'fragment' }).set();
    expect(names(engine.fragments)).toEqual(['role', 'hint', 'note', 'plain']);
    expect(names(engine.pendingMessages)).toEqual(['user', 'assistant', 'assistant']);
  });

  describe('resolving', () => {
    test('answers the rendered fragments, and the messages that are saved and those that are pending', async () => {
      const engine = open().set(role('You are helpful.'), user('One', { id: 'm1' }));
      expect(await engine.resolve({ renderer })).toStrictEqual({
        systemPrompt: '<role>You are helpful.</role>',
        messages: [uiMessage('m1', 'One')],
      });
      await engine.save();
      engine.set(hint('Be brief.'), message({ any: 'shape' }, { id: 'm2' }), system('Three', { id: 'm3' }));
      expect(await engine.resolve({ renderer })).toStrictEqual({
        systemPrompt: '<role>You are helpful.</role>\n<hint>Be brief.</hint>',
        messages: [uiMessage('m1', 'One'), { any: 'shape' }, uiMessage('m3', 'Three', 'system')],
      });
      expect(names(engine.pendingMessages)).toEqual(['user', 'system']);
    });

    test('sees what others have saved', async () => {
      const engine = await openWithTurn();
      await store.saveMessages('c', [{ id: 'm3', name: 'user', content: { data: ['theirs'] } }]);
      expect((await engine.resolve({ renderer })).messages.at(-1)).toEqual(['theirs']);
      expect(engine.headMessageId).toBe('m3');
    });

    test('answers nothing where there is nothing', async () => {
      expect(await open().resolve({ renderer })).toEqual({ systemPrompt: '', messages: [] });
    });

    test('leaves out UIMessages without parts, saved and pending, which are kept', async () => {
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

    test('asks the renderer first, and does nothing when that refuses', async () => {
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

  describe('saving', () => {
    test('saves pending messages at the end of the branch, and clears them', async () => {
      const engine = open().set(user('q', { id: 'q1' }), assistant('a', { id: 'a1' }));
      const saved = await engine.save();
      expect(saved).toStrictEqual({
        branch: {
          id: expect.any(String) as string,
          name: 'main',
          headMessageId: 'a1',
          isActive: true,
          messageCount: 2,
          createdAt: expect.any(Number) as number,
        },
        messages: await store.getMessages('c'),
        branched: false,
      });
      expect(saved.messages.map(({ id, parentId, name }) => [id, parentId, name])).toEqual([
        ['q1', null, 'user'],
        ['a1', 'q1', 'assistant'],
      ]);
      expect([engine.pendingMessages, engine.headMessageId, engine.branch]).toEqual([[], 'a1', 'main']);
    });

    test('has nothing to write when nothing is pending', async () => {
      const engine = await openWithTurn();
      const before = await stores.everything();
      expect(await engine.save()).toMatchObject({ branch: { name: 'main' }, messages: [], branched: false });
      expect(await stores.everything()).toEqual(before);
    });

    test('omits fragments that are not kept, and clears them, too', async () => {
      const engine = open().set({ ...user('for now', { id: 'x' }), persist: false });
      expect((await engine.resolve({ renderer })).messages).toEqual([uiMessage('x', 'for now')]);
      expect(await engine.save()).toMatchObject({ messages: [] });
      expect(engine.pendingMessages).toEqual([]);
      engine.set({ ...user('for now', { id: 'x' }), persist: false }, user('for ever', { id: 'y' }));
      expect((await engine.save()).messages).toMatchObject([{ id: 'y', parentId: null }]);
      expect(await store.getMessage('x')).toBeNull();
    });

    test('keeps each message in the shape in which it came', async () => {
      const image: UIMessage = {
        id: 'm1',
        role: 'user',
        metadata: { at: 1 },
        parts: [
          { type: 'text', text: 'Look:' },
          { type: 'file', url: 'data:,' },
        ],
      };
      const model = { role: 'tool', content: [{ type: 'tool-result', output: { sum: 4 } }] };
      const engine = open().set(
        user(image),
        message(model, { id: 'm2' }),
        message('text', { id: 'm3', name: 'narrator' }),
      );
      const { messages: before } = await engine.resolve({ renderer });
      expect(before).toEqual([image, model, uiMessage('m3', 'text', 'narrator')]);
      await engine.save();
      expect((await engine.resolve({ renderer })).messages).toEqual(before);
      expect((await store.getMessages('c')).map(({ id, name }) => [id, name])).toEqual([
        ['m1', 'user'],
        ['m2', 'tool'],
        ['m3', 'narrator'],
      ]);
    });

    test('continues after messages of others', async () => {
      const engine = await openWithTurn();
      await store.saveMessages('c', [{ id: 'theirs', name: 'user', content: { text: 'x' } }]);
      await engine.set(user('mine', { id: 'mine' })).save();
      expect(await branches()).toEqual({ 'main*': ['q1', 'a1', 'theirs', 'mine'] });
    });

    test('gives one of another version a new id, beside the old one on a new branch', async () => {
      const engine = await openWithTurn();
      const { branch, messages, branched } = await engine.set(assistant('Four.', { id: 'a1' })).save();
      const newId = messages[0]?.id ?? '';
      expect(newId).not.toBe('a1');
      expect(messages).toMatchObject([{ parentId: 'q1', data: uiMessage(newId, 'Four.', 'assistant') }]);
      expect([branch.name, branched]).toEqual(['main-v2', true]);
      expect([engine.branch, engine.headMessageId]).toEqual(['main-v2', newId]);
      expect(await branches()).toEqual({ main: ['q1', 'a1'], 'main-v2*': ['q1', newId] });
      expect((await store.getMessage('a1'))?.data).toEqual(uiMessage('a1', 'Five.', 'assistant'));
      await engine.set(user('Thanks', { id: 'q2' })).save();
      expect(await branches()).toEqual({ main: ['q1', 'a1'], 'main-v2*': ['q1', newId, 'q2'] });
    });

    test('does so with a UIMessage, which keeps all that it says', async () => {
      const engine = await openWithTurn();
      const edited: UIMessage = { ...uiMessage('q1', 'Three and three?'), role: 'user', metadata: { edited: true } };
      const { messages, branched } = await engine.set(user(edited)).save();
      expect(branched).toBe(true);
      // A second root: the data of a message is its author's, and so is the id in it.
      expect(messages).toMatchObject([{ parentId: null, data: edited }]);
      expect(messages[0]?.id).not.toBe('q1');
      expect((await branches())['main']).toEqual(['q1', 'a1']);
    });

    test('writes nothing twice when it is sent the same again', async () => {
      const engine = await openWithTurn();
      const before = await stores.everything();
      engine.set(user('Two and two?', { id: 'q1' }), assistant('Five.', { id: 'a1' }));
      expect(await engine.save()).toMatchObject({ branched: false, messages: [{ id: 'q1' }, { id: 'a1' }] });
      expect(await stores.everything()).toEqual(before);
    });

    test('is refused for another head than the expected one, and keeps pending messages', async () => {
      const engine = await openWithTurn();
      await store.saveMessages('c', [{ id: 'theirs', name: 'user', content: { text: 'Hm' } }]);
      const before = await stores.everything();
      engine.set(user('mine', { id: 'mine' }));
      for (const expectedHeadId of ['a1', null]) {
        expect(await failureOf(engine.save({ expectedHeadId }))).toMatchObject({ code: 'HEAD_CONFLICT' });
      }
      expect(await stores.everything()).toEqual(before);
      expect([engine.branch, names(engine.pendingMessages)]).toEqual(['main', ['user']]);
      await engine.resolve({ renderer });
      expect(await engine.save({ expectedHeadId: engine.headMessageId })).toMatchObject({ branched: false });
      expect(await branches()).toEqual({ 'main*': ['q1', 'a1', 'theirs', 'mine'] });
    });

    test('forks at the expected head or appends, by its policy', async () => {
      const engine = await openWithTurn();
      await store.saveMessages('c', [{ id: 'theirs', name: 'user', content: { text: 'Hm' } }]);
      const expectedHeadId = 'a1';
      await engine.set(user('1', { id: 'm1' })).save({ expectedHeadId, onConflict: 'APPEND' });
      expect(engine.branch).toBe('main');
      await engine.set(user('2', { id: 'm2' })).save({ expectedHeadId, onConflict: 'FORK' });
      expect(engine.branch).toBe('main-v2');
      await engine.set(user('3', { id: 'm3' })).save();
      expect(await branches()).toEqual({
        main: ['q1', 'a1', 'theirs', 'm1'],
        'main-v2*': ['q1', 'a1', 'm2', 'm3'],
      });
    });

    test('takes no other options, such as one to overwrite', async () => {
      const engine = await openWithTurn();
      engine.set(assistant('Four.', { id: 'a1' }));
      expect(await failureOf(engine.save({ branch: false } as never))).toEqual({
        code: 'INVALID_INPUT',
        message: 'branch is unknown; valid are expectedHeadId, onConflict',
        path: 'branch',
      });
      expect(await failureOf(engine.save({ onConflict: 'BOGUS' } as never))).toMatchObject({ path: 'onConflict' });
      expect(names(engine.pendingMessages)).toEqual(['assistant']);
      expect(await branches()).toEqual({ 'main*': ['q1', 'a1'] });
    });

    test('takes turns with other calls of the same engine', async () => {
      const engine = open().set(user('1', { id: 'm1' }));
      const calls = [
        engine.save(),
        engine.checkpoint('first'),
        engine.resolve({ renderer }),
        engine.rewind('m1'),
        engine.btw(),
        engine.updateChat({ title: 'turns' }),
        engine.switchBranch('main'),
        engine.restore('first'),
      ];
      const answers = await Promise.all(calls);
      expect(answers).toMatchObject([
        { messages: [{ id: 'm1' }], branch: { name: 'main' } },
        { name: 'first', messageId: 'm1' },
        { messages: [{ id: 'm1' }] },
        { name: 'main-v2', isActive: true },
        { name: 'main-v2-v2', isActive: false },
        { title: 'turns' },
        { name: 'main', isActive: true },
        { name: 'main-v3', isActive: true },
      ]);
      expect(engine.branch).toBe('main-v3');
    });

    test('goes on after a call that failed', async () => {
      const engine = open().set(user('1', { id: 'm1' }));
      const [failed, saved] = await Promise.allSettled([engine.restore('nothing'), engine.save()]);
      expect([failed.status, saved.status]).toEqual(['rejected', 'fulfilled']);
    });
  });

  describe('with a lazy id', () => {
    const lazy = lastAssistantMessage;

    test('makes another version of the newest assistant message on the branch', async () => {
      const engine = await openWithTurn();
      await engine.set(user('Sure?', { id: 'q2' }), assistant('Yes.', { id: 'a2' }), user('?', { id: 'q3' })).save();
      engine.set(lazy('No, four.'));
      expect((await engine.resolve({ renderer })).messages.at(-1)).toEqual(uiMessage('a2', 'No, four.', 'assistant'));
      const { messages, branch } = await engine.save();
      expect(messages).toMatchObject([{ parentId: 'q2', data: { parts: [{ text: 'No, four.' }] } }]);
      expect(branch.name).toBe('main-v2');
      expect((await branches())['main']).toEqual(['q1', 'a1', 'q2', 'a2', 'q3']);
    });

    test('takes the newest that is pending before it, and both stay', async () => {
      const engine = await openWithTurn();
      engine.set(user('Sure?', { id: 'q2' }), assistant('Yes.', { id: 'a2' }), lazy('No, four.'));
      const { messages: seen } = await engine.resolve({ renderer });
      expect(seen.slice(-2)).toEqual([uiMessage('a2', 'Yes.', 'assistant'), uiMessage('a2', 'No, four.', 'assistant')]);
      const { messages } = await engine.save();
      const version = messages[2]?.id ?? '';
      expect(messages.map(({ parentId }) => parentId)).toEqual(['a1', 'q2', 'q2']);
      expect(await branches()).toEqual({ main: ['q1', 'a1', 'q2', 'a2'], 'main-v2*': ['q1', 'a1', 'q2', version] });
    });

    test('is the first where there is none, with the id that a model has seen', async () => {
      const engine = open().set(user('q', { id: 'q1' }), lazy('first'), lazy('second'));
      const { messages: seen } = await engine.resolve({ renderer });
      const id = (seen[1] as UIMessage).id;
      expect(seen).toEqual([
        uiMessage('q1', 'q'),
        uiMessage(id, 'first', 'assistant'),
        uiMessage(id, 'second', 'assistant'),
      ]);
      expect(await engine.resolve({ renderer })).toMatchObject({ messages: seen });
      const { messages } = await engine.save();
      expect(messages.map((each) => each.parentId)).toEqual([null, 'q1', 'q1']);
      expect(messages[1]).toMatchObject({ id, data: uiMessage(id, 'first', 'assistant') });
      const version = messages[2]?.id ?? '';
      expect(messages[2]?.data).toEqual(uiMessage(version, 'second', 'assistant'));
      expect(await branches()).toEqual({ main: ['q1', id], 'main-v2*': ['q1', version] });
    });

    test('is the first one also without resolve', async () => {
      const { messages, branched } = await open().set(lazy('Hello.')).save();
      expect(messages).toMatchObject([{ name: 'assistant', parentId: null, data: { parts: [{ text: 'Hello.' }] } }]);
      expect(branched).toBe(false);
    });

    test('with the same text writes nothing', async () => {
      const engine = await openWithTurn();
      const before = await stores.everything();
      expect(await engine.set(lazy('Five.')).save()).toMatchObject({ messages: [{ id: 'a1' }], branched: false });
      expect(await stores.everything()).toEqual(before);
    });
  });

  describe('of the same fragment, set again,', () => {
    test('makes another message, where its id was made and not chosen', async () => {
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
      // Each says its own id, also when it was shown before it was saved.
      expect(saved.map(({ id, data }) => id === (data as UIMessage).id)).not.toContain(false);
      expect(messages).toEqual(saved.map(({ data }) => data));
      const elsewhere = new ContextEngine({ store, chatId: 'other', userId: 'u' });
      expect(await elsewhere.set(proceed).save()).toMatchObject({ messages: [{ chatId: 'other' }] });
    });

    test('also of a copy of it', async () => {
      const proceed = { ...user('Go on.'), metadata: { kind: 'prompt' } };
      const engine = open();
      for (let n = 0; n < 3; n++) await engine.set(proceed).save();
      expect(await store.getMessages('c')).toHaveLength(3);
    });

    test('is the same message, where its id was chosen', async () => {
      const greeting = user('Hello', { id: 'greeting' });
      await open().set(greeting).save();
      await open().set(greeting).save();
      expect(await branches()).toEqual({ 'main*': ['greeting'] });
    });
  });

  test('a renderer that is none is named', async () => {
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
    const other = new ContextEngine({ store, chatId: 'other', userId: 'u' });
    other.set({ ...lastAssistantMessage('secret'), persist: false });
    expect((await other.resolve({ renderer })).messages).toHaveLength(1);
    await other.save();
    expect(await store.getMessages('other')).toEqual([]);
  });

  test('what cannot be saved is refused before a model sees it, and can be taken away', async () => {
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

  test('a codec that cannot decode is named', async () => {
    const codec = { encode: () => 'x', decode: () => JSON.parse('{') as unknown };
    const engine = open().set({ name: 'tool', data: 'x', type: 'message', codec });
    expect(await failureOf(engine.resolve({ renderer }))).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/^Fragment "tool": its data cannot be decoded: /) as string,
    });
  });

  test('an edit of a text carries its new id, whatever is undefined beside it', async () => {
    const engine = await openWithTurn();
    const edited = { ...uiMessage('q1', 'Three and three?'), role: 'user' as const, metadata: undefined };
    const { messages } = await engine.set(user(edited)).save();
    expect(messages).toMatchObject([{ data: { id: messages[0]?.id } }]);
    expect(messages[0]?.id).not.toBe('q1');
  });
});

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

describe('a save whose answer is lost', () => {
  /** A store whose next answer of a kind does not arrive, though the request was carried out. */
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
  ])('is done again, and writes nothing twice: %s', async (_what, fragments) => {
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

  test('by FORK is done again, and the engine goes on where it has forked', async () => {
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

  test('may be lost while the chat is made', async () => {
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
