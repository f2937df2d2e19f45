/** What every store promises, of each that ships. */
import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { ContextStore, MessageData, NewMessageData, SearchOptions } from '@parley/context';
import { openContextStore } from '../../src/exports/parley.js';
import { isInMemory } from '../support/database/database-kind.js';
import { runs } from '../support/effort.js';
import { anyCall, BEGINNING } from './store-calls.js';
import { failureOf, notFound } from './store-failure.js';
import { Made, outcomeOf } from './store-outcome.js';
import { openStores, STORE_NAMES, STORES } from './stores.js';

const stores = openStores();

const aNumber = expect.any(Number) as number;
const aText = expect.any(String) as string;

/** A message of a user, whose text is its id unless another is given. */
const userMessage = (id: string, text = id): NewMessageData => ({ id, name: 'user', content: { text } });
const answered = (id: string, text = id): NewMessageData => ({ id, name: 'assistant', content: { text } });
const ids = (messages: readonly MessageData[]) => messages.map(({ id }) => id);

describe.each(STORE_NAMES)('the store %s', (storeName) => {
  let store: ContextStore;
  beforeEach(() => void (store = stores.get(storeName)));

  /** A chat "c" whose branch main is m1 ← m2 ← m3 ← m4. */
  async function chatOfFour(): Promise<void> {
    await store.createChat({ id: 'c', userId: 'u' });
    await store.saveMessages('c', [userMessage('m1'), answered('m2'), userMessage('m3'), answered('m4')]);
  }
  const branches = async (chatId = 'c') =>
    Object.fromEntries(
      await Promise.all(
        (await store.listBranches(chatId)).map(async ({ name, isActive, headMessageId }) => [
          isActive ? `${name}*` : name,
          headMessageId === null ? [] : ids(await store.getMessageChain(headMessageId)),
        ]),
      ),
    ) as Record<string, string[]>;

  describe('of chats', () => {
    test('makes one, with an empty active branch main', async () => {
      const before = Date.now();
      const chat = await store.createChat({ id: 'c', userId: 'u', title: 'Sums', metadata: { tags: ['a'] } });
      expect(chat).toStrictEqual({
        id: 'c',
        userId: 'u',
        title: 'Sums',
        metadata: { tags: ['a'] },
        createdAt: aNumber,
        updatedAt: chat.createdAt,
      });
      expect(chat.createdAt).toBeGreaterThanOrEqual(before);
      expect(chat.createdAt).toBeLessThanOrEqual(Date.now());
      expect(await store.getChat('c')).toStrictEqual(chat);
      expect(await store.getActiveBranch('c')).toStrictEqual({
        id: aText,
        chatId: 'c',
        name: 'main',
        headMessageId: null,
        isActive: true,
        messageCount: 0,
        createdAt: chat.createdAt,
      });
      expect(await store.getMessages('c')).toStrictEqual([]);
    });

    test('makes no second one with the same id', async () => {
      const chat = await store.createChat({ id: 'c', userId: 'u' });
      expect(chat).toMatchObject({ title: null, metadata: {} });
      expect(await failureOf(store.createChat({ id: 'c', userId: 'u' }))).toEqual({
        code: 'ALREADY_EXISTS',
        message: 'Chat "c" already exists',
        path: null,
      });
    });

    test('leaves one that is there as it is, when asked for it', async () => {
      const made = await store.upsertChat({ id: 'c', userId: 'u', title: 'first' });
      expect(made).toMatchObject({ id: 'c', userId: 'u', title: 'first', metadata: {} });
      const again = await store.upsertChat({ id: 'c', userId: 'u', title: 'second', metadata: { a: 1 } });
      expect(again).toStrictEqual(made);
    });

    test('changes the title and the metadata, as a whole or by a patch', async () => {
      const before = await store.createChat({ id: 'c', userId: 'u', title: 'a', metadata: { x: 1, y: { z: 2 } } });
      const titled = await store.updateChat('c', { title: 'b' });
      expect(titled).toStrictEqual({ ...before, title: 'b', updatedAt: aNumber });
      expect(titled.updatedAt).toBeGreaterThanOrEqual(before.updatedAt);
      expect(await store.getChat('c')).toStrictEqual(titled);
      const patched = await store.updateChat('c', { metadataPatch: { x: null, y: { w: 3 } } });
      expect(patched).toMatchObject({ title: 'b', metadata: { y: { z: 2, w: 3 } } });
      expect(patched.metadata).not.toHaveProperty('x');
      expect((await store.updateChat('c', { title: null, metadata: { only: true } })).metadata).toEqual({ only: true });
      expect(await store.getChat('c')).toMatchObject({ title: null, metadata: { only: true } });
    });

    test('changes nothing when the new metadata comes in two ways, or is none', async () => {
      const chat = await store.createChat({ id: 'c', userId: 'u' });
      expect(await failureOf(store.updateChat('c', { metadata: {}, metadataPatch: {} }))).toEqual({
        code: 'INVALID_INPUT',
        message: 'metadataPatch cannot be given together with metadata',
        path: 'metadataPatch',
      });
      expect(await failureOf(store.updateChat('c', { metadataPatch: { big: 1n } }))).toEqual({
        code: 'INVALID_INPUT',
        message: 'metadataPatch cannot be stored: "big" in it is a BigInt, which JSON does not have',
        path: 'metadataPatch',
      });
      expect(await failureOf(store.updateChat('c', { title: '' }))).toMatchObject({ path: 'title' });
      expect(await store.getChat('c')).toStrictEqual(chat);
    });

    test('lists them, newest update first', async () => {
      for (const [id, userId] of [
        ['a', 'u'],
        ['b', 'v'],
        ['c', 'u'],
      ] as const) {
        const { updatedAt } = await store.createChat({
          id,
          userId,
          metadata: { even: id === 'b', of: { user: userId, team: 1 } },
        });
        // The order is by the millisecond.
        while (Date.now() === updatedAt);
      }
      const { updatedAt } = await store.updateChat('a', { title: 'touched' });
      const listed = async (options?: Parameters<ContextStore['listChats']>[0]) =>
        (await store.listChats(options)).map(({ id }) => id);
      expect(await store.listChats()).toStrictEqual([
        { id: 'a', userId: 'u', title: 'touched', metadata: aMetadata(false, 'u'), createdAt: aNumber, updatedAt },
        await store.getChat('c'),
        await store.getChat('b'),
      ]);
      expect(await listed({ userId: 'u' })).toEqual(['a', 'c']);
      expect(await listed({ userId: 'nobody' })).toEqual([]);
      expect(await listed({ metadata: { key: 'even', value: true } })).toEqual(['b']);
      expect(await listed({ metadata: { key: 'of', value: { team: 1, user: 'u' } } })).toEqual(['a', 'c']);
      expect(await listed({ metadata: { key: 'of', value: { user: 'u' } } })).toEqual([]);
      expect(await listed({ metadata: { key: 'even', value: 'true' } })).toEqual([]);
      expect(await listed({ limit: 2 })).toEqual(['a', 'c']);
      expect(await listed({ limit: 2, offset: 1 })).toEqual(['c', 'b']);
      expect(await listed({ offset: 2 })).toEqual(['b']);
      expect(await listed({ offset: 3 })).toEqual([]);
      expect(await listed({ limit: 0 })).toEqual([]);
      expect(await listed({ limit: 0, offset: 1 })).toEqual([]);
      expect(await listed({ limit: 1, offset: 1, userId: 'u' })).toEqual(['c']);
      expect(await listed({ limit: 2 ** 40 })).toEqual(['a', 'c', 'b']);
    });
    const aMetadata = (even: boolean, user: string) => ({ even, of: { user, team: 1 } });

    test('removes the chat of the named user only', async () => {
      await chatOfFour();
      expect(await store.deleteChat('c', { userId: 'v' })).toBe(false);
      expect(await store.deleteChat('c', { userId: '' })).toBe(false);
      expect(await store.deleteChat('d', { userId: 'u' })).toBe(false);
      expect(await store.getMessages('c')).toHaveLength(4);
      expect(await store.deleteChat('c', { userId: 'u' })).toBe(true);
      expect(await store.getChat('c')).toBeNull();
    });

    test('removes one with all that is in it', async () => {
      await chatOfFour();
      await store.createCheckpoint({ chatId: 'c', name: 'here', messageId: 'm2' });
      expect(await store.deleteChat('c')).toBe(true);
      expect(await store.getChat('c')).toBeNull();
      expect(await store.getMessage('m1')).toBeNull();
      expect(await store.deleteChat('c')).toBe(false);
      // Nothing of it is in the way of another.
      await chatOfFour();
      expect(await store.listCheckpoints('c')).toEqual([]);
      expect(await store.searchMessages('c', 'm1')).toHaveLength(1);
    });
  });

  describe('of messages', () => {
    test('saves texts and data, one after the other', async () => {
      await store.createChat({ id: 'c', userId: 'u' });
      const { branch, messages, branched } = await store.saveMessages('c', [
        userMessage('m1', 'Hello'),
        { id: 'm2', name: 'tool', type: 'fragment', content: { data: { sum: 4 } } },
      ]);
      const [first] = messages;
      expect(messages).toStrictEqual([
        {
          id: 'm1',
          chatId: 'c',
          parentId: null,
          name: 'user',
          type: 'message',
          data: { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
          createdAt: aNumber,
        },
        {
          id: 'm2',
          chatId: 'c',
          parentId: 'm1',
          name: 'tool',
          type: 'fragment',
          data: { sum: 4 },
          // One save, one time.
          createdAt: first?.createdAt,
        },
      ]);
      expect(branched).toBe(false);
      expect(branch).toStrictEqual({
        id: aText,
        chatId: 'c',
        name: 'main',
        headMessageId: 'm2',
        isActive: true,
        messageCount: 2,
        createdAt: aNumber,
      });
      expect(await store.getMessage('m1')).toStrictEqual(first);
      expect(await store.getMessages('c')).toStrictEqual(messages);
      expect(await store.getMessageChain('m2')).toStrictEqual(messages);
      expect(ids(await store.getMessageChain('m1'))).toEqual(['m1']);
      expect(await store.hasChildren('m1')).toBe(true);
      expect(await store.hasChildren('m2')).toBe(false);
    });

    test('makes ids where none are given', async () => {
      await store.createChat({ id: 'c', userId: 'u' });
      const { messages } = await store.saveMessages('c', [{ name: 'user', content: { text: 'Hi' } }]);
      expect(messages).toMatchObject([{ id: aText, data: { id: messages[0]?.id, role: 'user' } }]);
    });

    test('treats equal messages as a retry, and later ones as new', async () => {
      await chatOfFour();
      const before = await stores.everything();
      const again = await store.saveMessages('c', [userMessage('m3'), answered('m4')]);
      expect([ids(again.messages), again.branch.name, again.branched]).toEqual([['m3', 'm4'], 'main', false]);
      expect(await stores.everything()).toEqual(before);
      const more = await store.saveMessages('c', [answered('m4'), userMessage('m5')]);
      expect([ids(more.messages), more.branched]).toEqual([['m4', 'm5'], false]);
      expect(await branches()).toEqual({ 'main*': ['m1', 'm2', 'm3', 'm4', 'm5'] });
    });

    test('takes other content under an id that is there as an edit', async () => {
      await chatOfFour();
      const { branch, messages, branched } = await store.saveMessages('c', [
        userMessage('m3', 'other'),
        answered('m6'),
      ]);
      const edited = messages[0]?.id ?? '';
      expect(edited).not.toBe('m3');
      expect(messages).toMatchObject([
        { parentId: 'm2', data: { id: edited, parts: [{ text: 'other' }] } },
        { parentId: edited },
      ]);
      expect([branch.name, branch.headMessageId, branch.isActive, branched]).toEqual(['main-v2', 'm6', true, true]);
      expect(await branches()).toEqual({
        main: ['m1', 'm2', 'm3', 'm4'],
        'main-v2*': ['m1', 'm2', edited, 'm6'],
      });
      expect((await store.getMessage('m3'))?.data).toMatchObject({ parts: [{ text: 'm3' }] });
    });

    test('looks a lazy id up', async () => {
      await chatOfFour();
      const lazy: NewMessageData = { lazyId: 'LAST_ASSISTANT', name: 'assistant', content: { text: 'better' } };
      const { messages } = await store.saveMessages('c', [lazy]);
      expect(messages).toMatchObject([{ name: 'assistant', parentId: 'm3' }]);
      await store.createChat({ id: 'empty', userId: 'u' });
      const first = await store.saveMessages('empty', [lazy]);
      expect([first.branched, first.messages[0]?.parentId]).toEqual([false, null]);
    });

    test('goes to the branch that is named', async () => {
      await chatOfFour();
      await store.createBranch({ chatId: 'c', headMessageId: 'm2', name: 'side', isActive: false });
      const { branch } = await store.saveMessages('c', [userMessage('m5')], { branch: 'side' });
      expect([branch.name, branch.isActive]).toEqual(['side', false]);
      expect(await branches()).toEqual({ 'main*': ['m1', 'm2', 'm3', 'm4'], side: ['m1', 'm2', 'm5'] });
      expect(await failureOf(store.saveMessages('c', [userMessage('m6')], { branch: 'nowhere' }))).toEqual({
        code: 'NOT_FOUND',
        message: 'Branch "nowhere" not found in chat "c"',
        path: null,
      });
    });

    test('looks whether the head is the one that was expected', async () => {
      await chatOfFour();
      const asExpected = await store.saveMessages('c', [userMessage('m5')], { expectedHeadId: 'm4' });
      expect(asExpected.branch.headMessageId).toBe('m5');
      for (const options of [{ expectedHeadId: 'm4' }, { expectedHeadId: 'm4', onConflict: 'REJECT' as const }]) {
        expect(await failureOf(store.saveMessages('c', [userMessage('m6')], options))).toEqual({
          code: 'HEAD_CONFLICT',
          message: 'The head of branch "main" is message "m5", not message "m4"',
          path: null,
        });
      }
      expect(await failureOf(store.saveMessages('c', [userMessage('m6')], { expectedHeadId: null }))).toMatchObject({
        message: 'The head of branch "main" is message "m5", not empty',
      });
      expect(await failureOf(store.saveMessages('c', [userMessage('m6')], { expectedHeadId: 'nothing' }))).toEqual(
        notFound('Message "nothing"'),
      );
      const appended = await store.saveMessages('c', [userMessage('m6')], {
        expectedHeadId: 'm4',
        onConflict: 'APPEND',
      });
      expect([appended.branched, appended.messages[0]?.parentId]).toEqual([false, 'm5']);
      const forked = await store.saveMessages('c', [userMessage('m7')], { expectedHeadId: 'm2', onConflict: 'FORK' });
      expect([forked.branched, forked.branch.name]).toEqual([true, 'main-v2']);
      expect(await branches()).toEqual({
        main: ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'],
        'main-v2*': ['m1', 'm2', 'm7'],
      });
    });

    test('takes no message that another chat has', async () => {
      await chatOfFour();
      await store.createChat({ id: 'd', userId: 'u' });
      expect(await failureOf(store.saveMessages('d', [userMessage('new'), userMessage('m1', 'mine now')]))).toEqual({
        code: 'ALREADY_EXISTS',
        message: 'Message "m1" belongs to a different chat',
        path: null,
      });
      expect(await store.getMessages('d')).toEqual([]);
      const elsewhere = { code: 'NOT_FOUND', message: 'Message "m1" belongs to a different chat', path: null };
      const behind = { chatId: 'd', id: 'new', parentId: 'm1', name: 'user', data: 1 };
      await store.saveMessages('d', [userMessage('d1')]);
      expect(await failureOf(store.addMessage(behind))).toEqual(elsewhere);
      expect(await failureOf(store.createBranch({ chatId: 'd', headMessageId: 'm1', isActive: true }))).toEqual(
        elsewhere,
      );
      expect(await failureOf(store.createBranch({ chatId: 'd', headMessageId: 'm1', isActive: false }))).toEqual(
        elsewhere,
      );
      expect(await failureOf(store.createCheckpoint({ chatId: 'd', name: 'n', messageId: 'm1' }))).toEqual(elsewhere);
    });

    test('adds one after its parent', async () => {
      await chatOfFour();
      const message = { chatId: 'c', id: 'm5', parentId: 'm4', name: 'user', data: { any: 'shape' } };
      expect(await store.addMessage(message)).toStrictEqual({ ...message, type: 'message', createdAt: aNumber });
      expect(await branches()).toEqual({ 'main*': ['m1', 'm2', 'm3', 'm4', 'm5'] });
      // Elsewhere than at the head of the active branch: on a branch of its own.
      expect(await store.addMessage({ ...message, id: 'm6', parentId: 'm2', type: 'note' })).toMatchObject({
        parentId: 'm2',
        type: 'note',
      });
      // A second root.
      expect(await store.addMessage({ ...message, id: 'm7', parentId: null })).toMatchObject({ parentId: null });
      expect(await branches()).toEqual({
        main: ['m1', 'm2', 'm3', 'm4', 'm5'],
        'main-v2': ['m1', 'm2', 'm6'],
        'main-v2-v2*': ['m7'],
      });
    });

    test('adds none after itself, or after a missing one', async () => {
      await store.createChat({ id: 'c', userId: 'u' });
      const message = { chatId: 'c', id: 'a', parentId: 'a', name: 'user', data: 1 };
      expect(await failureOf(store.addMessage(message))).toEqual({
        code: 'INVALID_INPUT',
        message: 'Message a cannot be its own parent',
        path: 'parentId',
      });
      expect(await failureOf(store.addMessage({ ...message, parentId: 'b' }))).toEqual(notFound('Message "b"'));
      expect(await store.addMessage({ ...message, parentId: null })).toMatchObject({ parentId: null });
      expect(await branches()).toEqual({ 'main*': ['a'] });
    });

    test('gives back data of any shape, and any text, unchanged', async () => {
      await store.createChat({ id: 'c', userId: 'u' });
      const text = fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom(...UNUSUAL));
      const json = fc.jsonValue({ stringUnit: anyCharacter, maxDepth: 4 }).filter((value) => value !== null);
      const data = fc.oneof(json, text, fc.constantFrom<unknown>(...ODD_SHAPES));
      const contents = fc.array(fc.oneof(fc.record({ data }), fc.record({ text })), { minLength: 1, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(contents, async (given) => {
          const { messages } = await store.saveMessages(
            'c',
            given.map((content) => ({ name: 'user', content })),
          );
          const stored = messages.map(({ id }, index) => {
            const content = given[index];
            if (content !== undefined && 'data' in content) return JSON.parse(JSON.stringify(content.data)) as unknown;
            return { id, role: 'user', parts: [{ type: 'text', text: content?.text }] };
          });
          expect(messages.map((message) => message.data)).toStrictEqual(stored);
          const chain = await store.getMessageChain(messages.at(-1)?.id ?? '');
          expect(chain.slice(-messages.length)).toStrictEqual(messages);
        }),
        { numRuns: runs(8) },
      );
    });
  });

  describe('of branches', () => {
    test('makes active and other ones at any message', async () => {
      await chatOfFour();
      expect(await store.createBranch({ chatId: 'c', headMessageId: 'm2', isActive: true })).toStrictEqual({
        id: aText,
        chatId: 'c',
        name: 'main-v2',
        headMessageId: 'm2',
        isActive: true,
        messageCount: 2,
        createdAt: aNumber,
      });
      expect(
        await store.createBranch({ chatId: 'c', headMessageId: 'm4', name: 'side', isActive: false }),
      ).toMatchObject({ name: 'side', headMessageId: 'm4', isActive: false, messageCount: 4 });
      // Named after the active one.
      expect(await store.createBranch({ chatId: 'c', headMessageId: 'm1', isActive: false })).toMatchObject({
        name: 'main-v2-v2',
        isActive: false,
      });
      const all = await store.listBranches('c');
      expect(all.map(({ name, isActive }) => [name, isActive])).toEqual([
        ['main', false],
        ['main-v2', true],
        ['side', false],
        ['main-v2-v2', false],
      ]);
      for (const branch of all) expect(await store.getBranch('c', branch.name)).toStrictEqual(branch);
      expect(await store.getActiveBranch('c')).toStrictEqual(all[1]);
      expect(await store.getBranch('c', 'nowhere')).toBeNull();
      expect(await store.getBranch('c', '')).toBeNull();
    });

    test.each([true, false])('makes one without messages, to begin anew; active: %s', async (isActive) => {
      await chatOfFour();
      expect(await store.createBranch({ chatId: 'c', headMessageId: null, name: 'anew', isActive })).toStrictEqual({
        id: aText,
        chatId: 'c',
        name: 'anew',
        headMessageId: null,
        isActive,
        messageCount: 0,
        createdAt: aNumber,
      });
      await store.saveMessages('c', [userMessage('other')], { branch: 'anew' });
      expect(await branches()).toEqual({
        [isActive ? 'main' : 'main*']: ['m1', 'm2', 'm3', 'm4'],
        [isActive ? 'anew*' : 'anew']: ['other'],
      });
      expect(await store.createBranch({ chatId: 'c', headMessageId: null, isActive })).toMatchObject({
        name: isActive ? 'anew-v2' : 'main-v2',
        headMessageId: null,
      });
    });

    test('makes none when it is forgotten where it begins', async () => {
      await chatOfFour();
      for (const isActive of [true, false]) {
        expect(await failureOf(store.createBranch({ chatId: 'c', isActive } as never))).toEqual({
          code: 'INVALID_INPUT',
          message: 'headMessageId must be given; null makes a branch without messages',
          path: 'headMessageId',
        });
      }
      expect(await branches()).toEqual({ 'main*': ['m1', 'm2', 'm3', 'm4'] });
    });

    test.each([true, false])('makes no second one of a name, active: %s', async (isActive) => {
      await chatOfFour();
      expect(await failureOf(store.createBranch({ chatId: 'c', headMessageId: 'm1', name: 'main', isActive }))).toEqual(
        { code: 'ALREADY_EXISTS', message: 'Branch "main" already exists in chat "c"', path: null },
      );
      expect(
        await failureOf(store.createBranch({ chatId: 'c', headMessageId: 'm1', name: '', isActive })),
      ).toMatchObject({ code: 'INVALID_INPUT' });
      expect(await store.listBranches('c')).toHaveLength(1);
    });

    test('makes one of them the active one, and no other', async () => {
      await chatOfFour();
      await store.createBranch({ chatId: 'c', headMessageId: 'm2', name: 'side', isActive: false });
      const active = await store.setActiveBranch('c', 'side');
      expect(active).toMatchObject({ chatId: 'c', name: 'side', headMessageId: 'm2', isActive: true });
      expect(await store.setActiveBranch('c', 'side')).toStrictEqual(active);
      expect(await branches()).toEqual({ main: ['m1', 'm2', 'm3', 'm4'], 'side*': ['m1', 'm2'] });
      expect(ids(await store.getMessages('c'))).toEqual(['m1', 'm2']);
      expect(await failureOf(store.setActiveBranch('c', 'nowhere'))).toEqual({
        code: 'NOT_FOUND',
        message: 'Branch "nowhere" not found in chat "c"',
        path: null,
      });
      expect(await failureOf(store.setActiveBranch('c', ''))).toEqual({
        code: 'INVALID_INPUT',
        message: 'name must not be empty',
        path: 'name',
      });
      expect(await store.getActiveBranch('c')).toStrictEqual(active);
    });
  });

  test('renames a branch, and removes the name of one that is not active', async () => {
    await chatOfFour();
    await store.createBranch({ chatId: 'c', headMessageId: 'm2', name: 'side', isActive: false });
    const { id } = await store.getActiveBranch('c');
    expect(await store.renameBranch('c', 'main', 'trunk')).toMatchObject({ id, name: 'trunk', isActive: true });
    expect(await failureOf(store.renameBranch('c', 'side', 'trunk'))).toMatchObject({ code: 'ALREADY_EXISTS' });
    expect(await failureOf(store.deleteBranch('c', 'trunk'))).toMatchObject({ code: 'INVALID_INPUT', path: 'name' });
    expect(await store.deleteBranch('c', 'side')).toBe(true);
    expect(await store.deleteBranch('c', 'side')).toBe(false);
    expect(await branches()).toEqual({ 'trunk*': ['m1', 'm2', 'm3', 'm4'] });
    expect(await store.getMessage('m2')).not.toBeNull();
  });

  describe('of checkpoints', () => {
    test('names a message, and moves the name to another', async () => {
      await chatOfFour();
      const first = await store.createCheckpoint({ chatId: 'c', name: 'here', messageId: 'm2' });
      expect(first).toStrictEqual({ id: aText, chatId: 'c', name: 'here', messageId: 'm2', createdAt: aNumber });
      await store.createCheckpoint({ chatId: 'c', name: 'there', messageId: 'm3' });
      expect((await store.listCheckpoints('c')).map(({ name }) => name)).toEqual(['there', 'here']);
      const moved = await store.createCheckpoint({ chatId: 'c', name: 'here', messageId: 'm4' });
      expect(moved).toMatchObject({ name: 'here', messageId: 'm4' });
      expect(await store.getCheckpoint('c', 'here')).toStrictEqual(moved);
      expect(await store.listCheckpoints('c')).toStrictEqual([moved, await store.getCheckpoint('c', 'there')]);
    });

    test('forgets the name, not the message', async () => {
      await chatOfFour();
      await store.createCheckpoint({ chatId: 'c', name: 'here', messageId: 'm2' });
      expect(await store.deleteCheckpoint('c', 'here')).toBe(true);
      expect(await store.deleteCheckpoint('c', 'here')).toBe(false);
      expect(await store.getCheckpoint('c', 'here')).toBeNull();
      expect(await store.getCheckpoint('c', '')).toBeNull();
      expect(await store.listCheckpoints('c')).toEqual([]);
      expect(await store.getMessage('m2')).not.toBeNull();
    });

    test('names nothing without a name', async () => {
      await chatOfFour();
      expect(await failureOf(store.createCheckpoint({ chatId: 'c', name: '', messageId: 'm2' }))).toEqual({
        code: 'INVALID_INPUT',
        message: 'name must not be empty',
        path: 'name',
      });
    });
  });

  describe('in a search', () => {
    async function chatOfFruit(): Promise<void> {
      await store.createChat({ id: 'c', userId: 'u' });
      await store.saveMessages('c', [
        userMessage('m1', 'An apple & a pear'),
        answered('m2', 'apple'),
        userMessage('m3', 'plum'),
      ]);
      await store.createBranch({ chatId: 'c', headMessageId: 'm1', isActive: true });
    }

    test('finds what any branch says, best first, with the place marked', async () => {
      await chatOfFruit();
      const hits = await store.searchMessages('c', 'apple');
      expect(hits).toStrictEqual(
        await Promise.all(
          ['m2', 'm1'].map(async (id) => ({ message: await store.getMessage(id), rank: aNumber, snippet: aText })),
        ),
      );
      expect(hits.map(({ snippet }) => snippet)).toEqual(['<mark>apple</mark>', 'An <mark>apple</mark> &amp; a pear']);
      expect(hits[0]?.rank).toBeGreaterThan(hits[1]?.rank ?? Infinity);
      expect(await store.searchMessages('c', 'melon')).toEqual([]);
      expect(await store.searchMessages('c', '')).toEqual([]);
      expect(await store.searchMessages('c', '"(* AND')).toEqual([]);
    });

    test.each<[options: SearchOptions, found: string[]]>([
      [{ names: ['user'] }, ['m1']],
      [{ names: ['assistant', 'tool'] }, ['m2']],
      [{ roles: ['assistant', 'tool'] }, ['m2']],
      [{ roles: [] }, []],
      [{ names: ['user', 'assistant'] }, ['m2', 'm1']],
      [{ names: [] }, []],
      [{ names: [''] }, []],
      [{ names: ['nobody', 'a\0b'] }, []],
      [{ limit: 1 }, ['m2']],
      [{ limit: 1000 }, ['m2', 'm1']],
    ])('finds with %j: %j', async (options, found) => {
      await chatOfFruit();
      expect(ids((await store.searchMessages('c', 'apple', options)).map(({ message }) => message))).toEqual(found);
    });

    test('finds 20 by default, and 1 to 1000', async () => {
      await store.createChat({ id: 'c', userId: 'u' });
      await store.saveMessages(
        'c',
        Array.from({ length: 25 }, (_, n) => userMessage(`m${n}`, 'apple')),
      );
      expect(await store.searchMessages('c', 'apple')).toHaveLength(20);
      expect(await store.searchMessages('c', 'apple', { limit: 25 })).toHaveLength(25);
      for (const limit of [0, -1, 1001, 1.5, Number.NaN]) {
        const failure = {
          code: 'INVALID_INPUT',
          message: `limit must be a whole number from 1 to 1000, not ${limit}`,
          path: 'limit',
        };
        expect(await failureOf(store.searchMessages('c', 'apple', { limit }))).toEqual(failure);
        expect(await failureOf(store.searchMessages('nobody', 'apple', { limit }))).toEqual(failure);
      }
    });
  });

  test('draws the whole graph, with 50 characters of each message', async () => {
    await store.createChat({ id: 'c', userId: 'u' });
    expect(await store.getGraph('c')).toMatchObject({ nodes: [], branches: [{ name: 'main' }], checkpoints: [] });
    const { messages } = await store.saveMessages('c', [
      userMessage('m1', 'x'.repeat(50)),
      answered('m2', '😀'.repeat(51)),
      { id: 'm3', name: 'tool', content: { data: { no: 'text' } } },
    ]);
    const createdAt = messages[0]?.createdAt;
    await store.createBranch({ chatId: 'c', headMessageId: 'm1', isActive: true });
    await store.createCheckpoint({ chatId: 'c', name: 'a', messageId: 'm1' });
    await store.createCheckpoint({ chatId: 'c', name: 'b', messageId: 'm3' });
    const graph = await store.getGraph('c');
    expect(graph).toStrictEqual({
      nodes: [
        { id: 'm1', parentId: null, role: 'user', content: 'x'.repeat(50), createdAt },
        { id: 'm2', parentId: 'm1', role: 'assistant', content: `${'😀'.repeat(50)}...`, createdAt },
        { id: 'm3', parentId: 'm2', role: 'tool', content: '', createdAt },
      ],
      branches: (await store.listBranches('c')).map(({ chatId: _, ...branch }) => branch),
      checkpoints: (await store.listCheckpoints('c')).map(({ chatId: _, ...checkpoint }) => checkpoint),
    });
    expect(graph.branches.map(({ name }) => name)).toEqual(['main', 'main-v2']);
    expect(graph.checkpoints.map(({ name }) => name)).toEqual(['b', 'a']);
  });

  test('can be closed, and a server’s goes on', async () => {
    await store.close();
    expect(await store.listChats()).toEqual([]);
  });
});

test('a store that is closed says so', async () => {
  const store = await openContextStore({ databaseUrl: isInMemory ? ':memory:' : stores.databaseUrl });
  await store.close();
  const closed = { code: 'UNAVAILABLE', message: 'The store is closed', path: null };
  expect(await failureOf(store.listChats())).toEqual(closed);
  expect(await failureOf(store.deleteChat('c'))).toEqual(closed);
});

// Nobody else sees a database in memory.
const testIfShared = isInMemory ? () => {} : test;
testIfShared('a store of one user has no other’s chats', async () => {
  const all = stores.get('in process');
  await all.createChat({ id: 'theirs', userId: 'somebody else' });
  await all.saveMessages('theirs', [userMessage('t1', 'apple')]);
  const viewer = { userId: 'u', isAdmin: false };
  const store = await openContextStore({ databaseUrl: stores.databaseUrl, viewer });
  onTestFinished(() => store.close());
  const own = await store.createChat({ id: 'own', userId: 'u' });
  expect(await store.listChats()).toStrictEqual([own]);
  expect(await store.listChats({ userId: 'u' })).toStrictEqual([own]);
  expect(await store.getChat('theirs')).toBeNull();
  expect(await store.getBranch('theirs', 'main')).toBeNull();
  expect(await store.getMessage('t1')).toBeNull();
  expect(await store.deleteChat('theirs')).toBe(false);
  expect(await failureOf(store.getMessageChain('t1'))).toEqual(notFound('Message "t1"'));
  expect(await failureOf(store.hasChildren('t1'))).toEqual(notFound('Message "t1"'));
  for (const call of [
    () => store.updateChat('theirs', { title: 'mine' }),
    () => store.saveMessages('theirs', [userMessage('t2')]),
    () => store.getActiveBranch('theirs'),
    () => store.listBranches('theirs'),
    () => store.searchMessages('theirs', 'apple'),
    () => store.getGraph('theirs'),
  ]) {
    expect(await failureOf(call())).toEqual(notFound('Chat "theirs"'));
  }
  const refused = (message: string) => ({ code: 'INVALID_INPUT', message, path: 'userId' });
  expect(await failureOf(store.listChats({ userId: 'somebody else' }))).toEqual(
    refused("userId: only an admin may list another user's chats"),
  );
  expect(await failureOf(store.createChat({ id: 'x', userId: 'somebody else' }))).toEqual(
    refused('userId: only an admin may create a chat for another user'),
  );
  const taken = { code: 'ALREADY_EXISTS', message: 'Chat "theirs" already exists', path: null };
  expect(await failureOf(store.upsertChat({ id: 'theirs', userId: 'u' }))).toEqual(taken);
  expect(await failureOf(store.saveMessages('own', [userMessage('t1')]))).toEqual({
    ...taken,
    message: 'Message "t1" already exists',
  });
});

test('whatever is called, both stores answer the same', async () => {
  const { store: local } = await STORES['in process']();
  const { store: remote } = await STORES.remote();
  const made = { local: new Made(), remote: new Made() };
  let number = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyCall, { minLength: 5, maxLength: 25 }), async (calls) => {
      number += 1;
      const within = (name: string) => name.replace('$', `-${number}`);
      for (const { call, on } of [...BEGINNING, ...calls]) {
        const [one, other] = await Promise.all([
          outcomeOf(on(local, within), made.local),
          outcomeOf(on(remote, within), made.remote),
        ]);
        expect(other, call).toStrictEqual(one);
      }
    }),
    { numRuns: runs(12) },
  );
});

/** Any that can be stored: all but U+0000 and halves of characters. */
const anyCharacter = fc
  .oneof(fc.integer({ min: 1, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((codePoint) => String.fromCodePoint(codePoint));

const UNUSUAL = [
  '',
  ' ',
  '\n',
  '\u2028',
  '\ufeff',
  '\u0001',
  '😀',
  'e\u0301',
  '漢字',
  '\u202eabc',
  '</script>',
  '"\\',
  "'; --",
  '%_',
];

const ODD_SHAPES = [
  0,
  -1.5e300,
  false,
  '',
  [],
  {},
  [[[]]],
  { '': '' },
  JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "toString": null}') as unknown,
  { id: 'other', role: 'user', parts: [] },
  { text: 'x' },
  { data: { data: null } },
];
