/** Invalid fragments: the engine names the fragment and the reason, writes nothing, and keeps pending messages. */
import { beforeEach, describe, expect, test } from 'vitest';
import {
  assistant,
  ContextEngine,
  hint,
  lastAssistantMessage,
  message,
  messageCodec,
  user,
  type ContextFragment,
  type ContextStore,
} from '@parley/context';
import { nested } from './nested.js';
import { failureOf } from './store-failure.js';
import { openStores } from './stores.js';

const stores = openStores();
const names = (fragments: readonly ContextFragment[]) => fragments.map(({ name }) => name);

describe('an engine', () => {
  let store: ContextStore;
  beforeEach(() => void (store = stores.get('remote')));

  const open = (chatId = 'c') => new ContextEngine({ store, chatId, userId: 'u' });
  /** An engine whose chat "c" has q1 ← a1 on main. */
  async function openWithTurn(): Promise<ContextEngine> {
    const engine = open().set(user('Two and two?', { id: 'q1' }), assistant('Five.', { id: 'a1' }));
    await engine.save();
    return engine;
  }

  describe('refuses', () => {
    const noCodec = { name: 'user', data: 'x', type: 'message' } as const;
    const withLazy = (config: unknown) => {
      const made = lastAssistantMessage('x') as unknown as Record<symbol, unknown>;
      const [key] = Object.getOwnPropertySymbols(made);
      return { ...made, [key as symbol]: config } as unknown as ContextFragment;
    };
    const any = (value: unknown) => value as ContextFragment;

    test.each<[what: string, given: ContextFragment, message: string, path: string]>([
      ['a message without a name', { ...user('x'), name: '' }, 'Fragment 1: a message must have a name', '1'],
      [
        'a message without a codec',
        noCodec,
        'Fragment "user": a message must have a codec, which decodes and encodes',
        '1',
      ],
      [
        'a codec that only decodes',
        any({ ...noCodec, codec: { decode: () => 1 } }),
        'Fragment "user": a message must have a codec, which decodes and encodes',
        '1',
      ],
      ['an empty id', { ...user('x'), id: '' }, 'Fragment "user": its id must be a text that is not empty', '1.id'],
      [
        'an id that is not a string',
        any({ ...user('x'), id: 7 }),
        'Fragment "user": its id must be a text that is not empty',
        '1.id',
      ],
      [
        'a lazy id of an unknown kind',
        withLazy({ type: 'first-user', content: 'x' }),
        'Fragment "assistant": there is no lazy id of the kind "first-user"',
        '1',
      ],
      [
        'a lazy message without a text',
        withLazy({ type: 'last-assistant', content: 7 }),
        'Fragment "assistant": its content must be a text',
        '1',
      ],
      [
        'a function in data',
        { name: 'table', data: { rows: [any(() => 1)] } },
        'Fragment "table": 1.data.rows.0 is a function, which cannot be written as text',
        '1.data.rows.0',
      ],
    ])('%s in set(), and adds none of the fragments', (_what, given, message, path) => {
      const engine = open().set(hint('before'), user('before', { id: 'b' }));
      const pending = engine.pendingMessages;
      expect(() => engine.set(hint('beside'), given, user('beside'))).toThrow(
        expect.objectContaining({ name: 'ContextError', code: 'INVALID_INPUT', message, path }),
      );
      expect(engine.pendingMessages).toEqual(pending);
      expect(names(engine.fragments)).toEqual(['hint']);
    });

    const holding = (data: unknown) => any({ ...noCodec, name: 'tool', id: 't', codec: messageCodec(data) });
    const refusing = {
      decode: () => null,
      encode() {
        throw new Error('No.');
      },
    };

    test.each<[what: string, given: ContextFragment, message: string | RegExp, path: string]>([
      [
        'a repeated id',
        user('other', { id: 'b' }),
        'Fragment "user": the id "b" is given twice in one save, by messages 0 and 1',
        '1.id',
      ],
      [
        'a function',
        holding({ run: () => 1 }),
        'Fragment "tool": its data cannot be stored: "run" in it is a function, which JSON does not have',
        '1',
      ],
      [
        'a hole in an array',
        holding([1, undefined]),
        'Fragment "tool": its data cannot be stored: "1" in it is undefined in an array, which JSON does not have',
        '1',
      ],
      [
        'a Map',
        holding({ rows: new Map() }),
        'Fragment "tool": its data cannot be stored: "rows" in it is a Map, not a plain object or an array',
        '1',
      ],
      ['nothing', holding(undefined), 'Fragment "tool": a message must not be null', '1'],
      [
        'data with endless nesting',
        holding(nested(100_000)),
        'Fragment "tool": its data cannot be stored: it is nested too deep',
        '1',
      ],
      [
        'a codec that fails',
        any({ ...noCodec, name: 'tool', codec: refusing }),
        'Fragment "tool": its data cannot be stored: No.',
        '1',
      ],
      [
        'a text with U+0000',
        user('x\0', { id: 'x' }),
        'messages.1.content.text must not contain U+0000',
        'messages.1.content.text',
      ],
      ['a long name', { ...user('x'), name: 'n'.repeat(256) }, /^messages\.1\.name must have/, 'messages.1.name'],
    ])('%s in save(), and saves no message', async (_what, given, message, path) => {
      const engine = await openWithTurn();
      engine.set(user('before', { id: 'b' }), given, user('behind'));
      const pending = [...engine.pendingMessages];
      const before = await stores.everything();
      const failure = await failureOf(engine.save());
      expect(failure).toMatchObject({ code: 'INVALID_INPUT', path });
      if (typeof message === 'string') expect(failure.message).toBe(message);
      else expect(failure.message).toMatch(message);
      expect(await stores.everything()).toEqual(before);
      expect(engine.pendingMessages).toEqual(pending);
      expect([engine.branch, engine.headMessageId]).toEqual(['main', 'a1']);
    });

    test('saving a message of another chat', async () => {
      await openWithTurn();
      const engine = open('d').set(user('mine', { id: 'd1' }), user('theirs', { id: 'q1' }));
      expect(await failureOf(engine.save())).toMatchObject({ message: 'Message "q1" belongs to a different chat' });
      expect(names(engine.pendingMessages)).toEqual(['user', 'user']);
      expect(await store.getMessages('d')).toEqual([]);
    });

    test.each([null, undefined])('%s as a message', (content) => {
      expect(() => message(content)).toThrow(`Fragment "message": a message must not be ${content}`);
    });
  });
});
