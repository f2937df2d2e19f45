/** Messages of each store. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ContextStore, NewMessageData } from '@parley/context';
import { runs } from '../../support/effort.js';
import { failureOf, notFound } from '../store-failure.js';
import { openStores, STORE_NAMES } from '../stores.js';
import { aNumber, aText, userMessage, answered, ids } from './store-messages.js';

const stores = openStores();

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

  describe('of messages', () => {
    test('saves texts and data in order', async () => {
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
          // All messages of a save have one time.
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

    test('generates missing ids', async () => {
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

    test('saves other content under an existing id as an edit', async () => {
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

    test('resolves a lazy id', async () => {
      await chatOfFour();
      const lazy: NewMessageData = { lazyId: 'LAST_ASSISTANT', name: 'assistant', content: { text: 'better' } };
      const { messages } = await store.saveMessages('c', [lazy]);
      expect(messages).toMatchObject([{ name: 'assistant', parentId: 'm3' }]);
      await store.createChat({ id: 'empty', userId: 'u' });
      const first = await store.saveMessages('empty', [lazy]);
      expect([first.branched, first.messages[0]?.parentId]).toEqual([false, null]);
    });

    test('saves on the named branch', async () => {
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

    test('compares the head with the expected one', async () => {
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

    test('refuses a message id of another chat', async () => {
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

    test('adds a message after its parent', async () => {
      await chatOfFour();
      const message = { chatId: 'c', id: 'm5', parentId: 'm4', name: 'user', data: { any: 'shape' } };
      expect(await store.addMessage(message)).toStrictEqual({ ...message, type: 'message', createdAt: aNumber });
      expect(await branches()).toEqual({ 'main*': ['m1', 'm2', 'm3', 'm4', 'm5'] });
      // A parent other than the active head: on a new branch.
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

    test('refuses the message itself and a missing message as parent', async () => {
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

    test('returns any data and any text unchanged', async () => {
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
});

/** Any storable text: without U+0000 and lone surrogates. */
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
