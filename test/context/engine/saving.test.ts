/** An engine saves messages. */
import { beforeEach, describe, expect, test } from 'vitest';
import { assistant, lastAssistantMessage, message, user, type ContextStore, type UIMessage } from '@parley/context';
import { failureOf } from '../store-failure.js';
import { enginesOn, openStores } from '../stores.js';
import { renderer, uiMessage, names } from './model-input.js';

const stores = openStores();

describe('an engine', () => {
  let store: ContextStore;

  beforeEach(() => void (store = stores.get('remote')));

  const { open, openWithTurn, branches } = enginesOn(() => store);

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

    test('writes nothing without pending messages', async () => {
      const engine = await openWithTurn();
      const before = await stores.everything();
      expect(await engine.save()).toMatchObject({ branch: { name: 'main' }, messages: [], branched: false });
      expect(await stores.everything()).toEqual(before);
    });

    test('saves each message in its given form', async () => {
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

    test('saves an edit under a new id as a sibling on a new branch', async () => {
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

    test('saves an edit of a UIMessage without changing its data', async () => {
      const engine = await openWithTurn();
      const edited: UIMessage = { ...uiMessage('q1', 'Three and three?'), role: 'user', metadata: { edited: true } };
      const { messages, branched } = await engine.set(user(edited)).save();
      expect(branched).toBe(true);
      // A second root: the id within the data stays unchanged.
      expect(messages).toMatchObject([{ parentId: null, data: edited }]);
      expect(messages[0]?.id).not.toBe('q1');
      expect((await branches())['main']).toEqual(['q1', 'a1']);
    });

    test('writes nothing for a repeated save', async () => {
      const engine = await openWithTurn();
      const before = await stores.everything();
      engine.set(user('Two and two?', { id: 'q1' }), assistant('Five.', { id: 'a1' }));
      expect(await engine.save()).toMatchObject({ branched: false, messages: [{ id: 'q1' }, { id: 'a1' }] });
      expect(await stores.everything()).toEqual(before);
    });

    test('refuses a head other than the expected one, and keeps pending messages', async () => {
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

    test('refuses unknown options', async () => {
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

    test('runs after earlier calls of the same engine', async () => {
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

    test('works after a failed call', async () => {
      const engine = open().set(user('1', { id: 'm1' }));
      const [failed, saved] = await Promise.allSettled([engine.restore('nothing'), engine.save()]);
      expect([failed.status, saved.status]).toEqual(['rejected', 'fulfilled']);
    });
  });

  describe('with a lazy id', () => {
    const lazy = lastAssistantMessage;

    test('saves a sibling of the newest assistant message on the branch', async () => {
      const engine = await openWithTurn();
      await engine.set(user('Sure?', { id: 'q2' }), assistant('Yes.', { id: 'a2' }), user('?', { id: 'q3' })).save();
      engine.set(lazy('No, four.'));
      expect((await engine.resolve({ renderer })).messages.at(-1)).toEqual(uiMessage('a2', 'No, four.', 'assistant'));
      const { messages, branch } = await engine.save();
      expect(messages).toMatchObject([{ parentId: 'q2', data: { parts: [{ text: 'No, four.' }] } }]);
      expect(branch.name).toBe('main-v2');
      expect((await branches())['main']).toEqual(['q1', 'a1', 'q2', 'a2', 'q3']);
    });

    test('saves a sibling of the newest pending message before it', async () => {
      const engine = await openWithTurn();
      engine.set(user('Sure?', { id: 'q2' }), assistant('Yes.', { id: 'a2' }), lazy('No, four.'));
      const { messages: seen } = await engine.resolve({ renderer });
      expect(seen.slice(-2)).toEqual([uiMessage('a2', 'Yes.', 'assistant'), uiMessage('a2', 'No, four.', 'assistant')]);
      const { messages } = await engine.save();
      const version = messages[2]?.id ?? '';
      expect(messages.map(({ parentId }) => parentId)).toEqual(['a1', 'q2', 'q2']);
      expect(await branches()).toEqual({ main: ['q1', 'a1', 'q2', 'a2'], 'main-v2*': ['q1', 'a1', 'q2', version] });
    });

    test('saves the first assistant message under its resolved id', async () => {
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

    test('writes nothing for the same text', async () => {
      const engine = await openWithTurn();
      const before = await stores.everything();
      expect(await engine.set(lazy('Five.')).save()).toMatchObject({ messages: [{ id: 'a1' }], branched: false });
      expect(await stores.everything()).toEqual(before);
    });
  });
});
