/** Messages of each store. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ContextStore, SaveOptions } from '@parley/context';
import { runs } from '../../support/effort.js';
import { failureOf, notFound } from '../store-failure.js';
import { openStores, STORE_NAMES } from '../stores.js';
import { aNumber, aText, userMessage, ids, chatOfFour, branchesOf } from './store-messages.js';

const stores = openStores();

describe.each(STORE_NAMES)('the store %s', (storeName) => {
  let store: ContextStore;

  beforeEach(() => void (store = stores.get(storeName)));

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

    test('creates a missing chat with its first messages, all or nothing', async () => {
      const save = (options: SaveOptions) => store.saveMessages('c', [userMessage('m1', 'Hello')], options);
      const createChat = { userId: 'u', title: 'Porto', metadata: { a: 1 } };
      expect(await failureOf(save({ createChat, branch: 'side' }))).toMatchObject({ code: 'NOT_FOUND' });
      expect(await store.getChat('c')).toBeNull();
      await save({ createChat });
      expect(await store.getChat('c')).toMatchObject({ id: 'c', ...createChat });
      await save({ createChat: { userId: 'u', title: 'Lisbon' } });
      expect(await store.getChat('c')).toMatchObject(createChat);
      expect(await failureOf(save({ createChat: { userId: 'u', other: 1 } as never }))).toMatchObject({
        path: 'createChat.other',
      });
      expect(await failureOf(save({ createChat: { userId: 'u', metadata: [] as never } }))).toMatchObject({
        path: 'createChat.metadata',
      });
    });

    test('adds a message after its parent', async () => {
      await chatOfFour(store);
      const message = { chatId: 'c', id: 'm5', parentId: 'm4', name: 'user', data: { any: 'shape' } };
      expect(await store.addMessage(message)).toStrictEqual({ ...message, type: 'message', createdAt: aNumber });
      expect(await branchesOf(store)).toEqual({ 'main*': ['m1', 'm2', 'm3', 'm4', 'm5'] });
      // A parent other than the active head: on a new branch.
      expect(await store.addMessage({ ...message, id: 'm6', parentId: 'm2', type: 'note' })).toMatchObject({
        parentId: 'm2',
        type: 'note',
      });
      // A second root.
      expect(await store.addMessage({ ...message, id: 'm7', parentId: null })).toMatchObject({ parentId: null });
      expect(await branchesOf(store)).toEqual({
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
      expect(await branchesOf(store)).toEqual({ 'main*': ['a'] });
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
  ...['', ' ', '\n', '\u2028', '\ufeff', '\u0001', '😀', 'e\u0301', '漢字', '\u202eabc', '</script>', '"\\', "'; --"],
  ...['%_'],
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
