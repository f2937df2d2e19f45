/** Branches of an engine: rewinds, retries and forks. */
import { beforeEach, describe, expect, test } from 'vitest';
import {
  assistant,
  hint,
  lastAssistantMessage,
  role,
  user,
  XmlRenderer,
  type ContextFragment,
  type ContextStore,
} from '@parley/context';
import { failureOf, notFound } from './store-failure.js';
import { enginesOn, openStores } from './stores.js';

const stores = openStores();
const renderer = new XmlRenderer();
const names = (fragments: readonly ContextFragment[]) => fragments.map(({ name }) => name);

describe('the branches of an engine', () => {
  let store: ContextStore;
  beforeEach(() => void (store = stores.get('remote')));
  const { open, openWithTurn, branches } = enginesOn(() => store);

  test('continue after a rename', async () => {
    const engine = await openWithTurn();
    await store.renameBranch('c', 'main', 'trunk');
    await store.createBranch({ chatId: 'c', headMessageId: 'q1', name: 'main', isActive: true });
    engine.set(user('Sure?', { id: 'q2' }));
    expect((await engine.resolve({ renderer })).messages).toHaveLength(3);
    await engine.save();
    expect(engine.branch).toBe('trunk');
    expect(await branches()).toEqual({ trunk: ['q1', 'a1', 'q2'], 'main*': ['q1'] });
    await store.deleteBranch('c', 'trunk');
    expect(await failureOf(engine.resolve({ renderer }))).toMatchObject({ code: 'NOT_FOUND' });
  });

  describe('navigation', () => {
    const turns = async () => {
      const engine = await openWithTurn();
      await engine.checkpoint('answered');
      return engine.set(role('r'), user('pending', { id: 'p' }));
    };

    test('rewinds to a message, on a new branch', async () => {
      const engine = await turns();
      expect(await engine.rewind('q1')).toStrictEqual({
        id: expect.any(String) as string,
        name: 'main-v2',
        headMessageId: 'q1',
        isActive: true,
        messageCount: 1,
        createdAt: expect.any(Number) as number,
      });
      expect([engine.branch, engine.headMessageId]).toEqual(['main-v2', 'q1']);
      expect([names(engine.pendingMessages), names(engine.fragments)]).toEqual([[], ['role']]);
      await engine.set(assistant('Four.', { id: 'a2' })).save();
      expect(await branches()).toEqual({ main: ['q1', 'a1'], 'main-v2*': ['q1', 'a2'] });
    });

    test('restores a checkpoint, on a new branch', async () => {
      const engine = await turns();
      const restored = await engine.restore('answered');
      expect(restored).toMatchObject({ name: 'main-v2', headMessageId: 'a1', isActive: true, messageCount: 2 });
      expect(restored).not.toHaveProperty('chatId');
      expect([engine.branch, engine.headMessageId, engine.pendingMessages]).toEqual(['main-v2', 'a1', []]);
    });

    test('switches to another branch, and back', async () => {
      const engine = await turns();
      await store.createBranch({ chatId: 'c', headMessageId: 'q1', name: 'side', isActive: false });
      const there = await engine.switchBranch('side');
      expect(there).toMatchObject({ name: 'side', headMessageId: 'q1', isActive: true });
      expect(there).not.toHaveProperty('chatId');
      expect([engine.branch, engine.headMessageId, engine.pendingMessages]).toEqual(['side', 'q1', []]);
      expect(await branches()).toEqual({ main: ['q1', 'a1'], 'side*': ['q1'] });
      await engine.switchBranch('main');
      expect([engine.branch, engine.headMessageId]).toEqual(['main', 'a1']);
    });

    test('saves pending messages on the old branch, also during a save', async () => {
      const engine = await openWithTurn();
      engine.set(user('old', { id: 'old' }));
      const calls = [engine.save(), engine.rewind('q1')];
      engine.set(assistant('new', { id: 'new' }));
      await Promise.all(calls);
      await engine.save();
      expect(await branches()).toEqual({ main: ['q1', 'a1', 'old'], 'main-v2*': ['q1', 'new'] });
    });

    test('btw creates another branch, and the engine stays on its own', async () => {
      const engine = await turns();
      const aside = await engine.btw();
      expect(aside).toMatchObject({ name: 'main-v2', headMessageId: 'a1', isActive: false, messageCount: 2 });
      expect(aside).not.toHaveProperty('chatId');
      expect([engine.branch, names(engine.pendingMessages)]).toEqual(['main', ['user']]);
      await engine.save();
      expect(await branches()).toEqual({ 'main*': ['q1', 'a1', 'p'], 'main-v2': ['q1', 'a1'] });
      await store.saveMessages('c', [{ id: 'theirs', name: 'user', content: { text: 'x' } }]);
      expect(await engine.btw()).toMatchObject({ headMessageId: 'theirs' });
    });

    test('saves a checkpoint of the head, and moves it', async () => {
      const engine = await turns();
      const { createdAt, id, ...rest } = await engine.checkpoint('here');
      expect([id, createdAt, rest]).toEqual([
        expect.any(String),
        expect.any(Number),
        { name: 'here', messageId: 'a1' },
      ]);
      expect(names(engine.pendingMessages)).toEqual(['user']);
      await engine.save();
      expect(await engine.checkpoint('here')).toMatchObject({ name: 'here', messageId: 'p' });
      expect(await store.listCheckpoints('c')).toMatchObject([{ name: 'here' }, { name: 'answered' }]);
    });

    test('changes the chat, and keeps pending messages', async () => {
      const engine = await turns();
      await engine.updateChat({ metadata: { a: 1, b: 2 } });
      const chat = await engine.updateChat({ title: 'Sums', metadata: { a: null } });
      expect(chat).toMatchObject({ title: 'Sums', metadata: { b: 2 } });
      expect(chat.metadata).not.toHaveProperty('a');
      expect(engine.chat).toStrictEqual(chat);
      expect(await store.getChat('c')).toStrictEqual(chat);
      expect(await engine.updateChat({ title: null })).toMatchObject({ title: null, metadata: { b: 2 } });
      const counted = engine.updateChat(({ metadata }) => ({ metadata: { b: Number(metadata['b']) + 1 } }));
      expect(await counted).toMatchObject({ metadata: { b: 3 } });
      expect(names(engine.pendingMessages)).toEqual(['user']);
    });

    test('keeps pending messages and the branch after any failure', async () => {
      const engine = await turns();
      await store.createChat({ id: 'd', userId: 'u' });
      await store.saveMessages('d', [{ id: 'd1', name: 'user', content: { text: 'x' } }]);
      const before = await stores.everything();
      const failures = [
        await failureOf(engine.rewind('nothing')),
        await failureOf(engine.rewind('d1')),
        await failureOf(engine.switchBranch('nowhere')),
        await failureOf(engine.restore('nothing')),
        await failureOf(engine.checkpoint('')),
        await failureOf(engine.updateChat({ title: '' })),
        await failureOf(engine.updateChat({ metadata: { f: () => 1 } })),
      ];
      expect(failures.map(({ message }) => message)).toEqual([
        'Message "nothing" not found',
        'Message "d1" belongs to a different chat',
        'Branch "nowhere" not found in chat "c"',
        'Checkpoint "nothing" not found in chat "c"',
        'name must not be empty',
        'title must not be empty',
        'metadataPatch cannot be stored: "f" in it is a function, which JSON does not have',
      ]);
      expect(failures[0]).toEqual(notFound('Message "nothing"'));
      expect([engine.branch, engine.headMessageId, names(engine.pendingMessages)]).toEqual(['main', 'a1', ['user']]);
      expect(await stores.everything()).toEqual(before);
    });

    test('refuses navigation and checkpoints in an empty conversation', async () => {
      const engine = open().set(user('pending'));
      const invalid = (message: string) => ({ code: 'INVALID_INPUT', message, path: null });
      expect(await failureOf(engine.btw())).toEqual(invalid('Cannot create btw branch: no messages in conversation'));
      expect(await failureOf(engine.checkpoint('x'))).toEqual(
        invalid('Cannot create checkpoint: no messages in conversation'),
      );
      expect(names(engine.pendingMessages)).toEqual(['user']);
    });

    test('creates no chat for a missing branch', async () => {
      const engine = open({ branch: 'nowhere' }).set(user('Hello'));
      const nowhere = { code: 'NOT_FOUND', message: 'Branch "nowhere" not found in chat "c"', path: null };
      expect(await failureOf(engine.save())).toEqual(nowhere);
      expect(await failureOf(engine.resolve({ renderer }))).toEqual(nowhere);
      expect(await store.getChat('c')).toBeNull();
    });

    test('creates no chat for invalid arguments', async () => {
      const engine = open().set(user('1', { id: 'same' }), user('2', { id: 'same' }));
      await failureOf(engine.save());
      await failureOf(engine.resolve({ renderer }));
      await failureOf(engine.btw());
      await failureOf(engine.checkpoint('x'));
      expect(await failureOf(engine.rewind('m'))).toEqual(notFound('Message "m"'));
      expect(await failureOf(engine.restore('x'))).toEqual({
        ...notFound('Checkpoint "x"'),
        message: 'Checkpoint "x" not found in chat "c"',
      });
      expect(await failureOf(engine.switchBranch('x'))).toEqual({
        ...notFound('Branch "x"'),
        message: 'Branch "x" not found in chat "c"',
      });
      expect(await store.getChat('c')).toBeNull();
    });
  });

  test('the engine stays on its branch after a retry on another branch, but not after an edit', async () => {
    const engine = await openWithTurn();
    await open().rewind('q1');
    // main-v2 ends in q1, and is active.
    expect(await engine.set(user('Two and two?', { id: 'q1' })).save()).toMatchObject({ branch: { name: 'main' } });
    expect([engine.branch, engine.headMessageId]).toEqual(['main', 'a1']);
    const edited = () => engine.set(assistant('Four.', { id: 'a1' })).save();
    expect(await edited()).toMatchObject({ branched: true, branch: { name: 'main-v3' } });
    await engine.switchBranch('main-v3');
    const retry = open({ branch: 'main' }).set(assistant('Four.', { id: 'a1' }));
    expect(await retry.save()).toMatchObject({ branched: false, branch: { name: 'main-v3' } });
    expect(retry.branch).toBe('main-v3');
  });

  test('the engine stays on its branch after a lazy message with an existing text', async () => {
    const engine = await openWithTurn();
    await engine.btw();
    // main-v2 ends in a1.
    await engine.set(user('Sure?', { id: 'q2' })).save();
    expect(await engine.set(lastAssistantMessage('Five.')).save()).toMatchObject({ branched: false });
    expect([engine.branch, engine.headMessageId]).toEqual(['main', 'q2']);
  });

  test('an inactive branch continues at its own head', async () => {
    await openWithTurn();
    await store.createBranch({ chatId: 'c', headMessageId: 'q1', name: 'side', isActive: false });
    const engine = open({ branch: 'side' }).set(assistant('Four.', { id: 'a2' }));
    await engine.save();
    expect(await branches()).toEqual({ 'main*': ['q1', 'a1'], side: ['q1', 'a2'] });
    expect(await engine.btw()).toMatchObject({ headMessageId: 'a2', isActive: false });
    expect(await engine.checkpoint('there')).toMatchObject({ messageId: 'a2' });
    expect((await engine.resolve({ renderer })).messages).toHaveLength(2);
    expect((await store.getActiveBranch('c')).name).toBe('main');
    // Another client activates another branch: the engine stays on its own.
    const other = await openWithTurn();
    await other.rewind('q1');
    await engine.set(user('More', { id: 'q2' })).save();
    expect((await branches())['side']).toEqual(['q1', 'a2', 'q2']);
  });

  test('compares a place with its branch, also before its first request', async () => {
    await openWithTurn();
    await store.createBranch({ chatId: 'c', headMessageId: 'q1', isActive: true });
    expect(await open().compare({ branch: 'main' })).toMatchObject({ status: 'BEHIND', head: { id: 'q1' } });
  });

  describe('a fork', () => {
    test('has the same messages in a separate chat', async () => {
      const engine = open().set(role('You are helpful.'), user('q', { id: 'q1' }));
      const forked = engine.fork();
      expect(forked.chatId).not.toBe('c');
      expect([forked.userId, forked.pendingMessages]).toEqual(['u', []]);
      engine.set(hint('only here'));
      expect(await forked.resolve({ renderer })).toEqual({
        systemPrompt: '<role>You are helpful.</role>',
        messages: [],
        summary: null,
        omittedMessages: 0,
        estimatedTokens: 8,
      });
      await forked.set(hint('only there'), user('aside', { id: 'x1' })).save();
      expect(names(engine.fragments)).toEqual(['role', 'hint']);
      expect(await store.getMessages(forked.chatId)).toMatchObject([{ id: 'x1' }]);
      expect(await store.getChat('c')).toBeNull();
    });

    test('appends to the given message', async () => {
      await openWithTurn();
      await store.createBranch({ chatId: 'c', headMessageId: 'q1', name: 'side', isActive: false });
      const forked = open({ chatId: 'other' }).fork({ chatId: 'c', branch: 'side', metadata: { by: 'fork' } });
      expect(await forked.save()).toMatchObject({ branch: { name: 'side' } });
      expect(forked.chat?.metadata).toEqual({ by: 'fork' });
      expect(open().fork({ userId: 'v' }).userId).toBe('v');
    });
  });
});
