/** An engine finds earlier messages. */
import { beforeEach, describe, expect, test } from 'vitest';
import { user, type ContextStore } from '@parley/context';
import { addMemberRow } from '../../support/chats/members.js';
import { failureOf } from '../store-failure.js';
import { enginesOn, openStores, STORE_NAMES } from '../stores.js';
import { renderer } from './model-input.js';

const stores = openStores();

describe.each(STORE_NAMES)('an engine, %s,', (storeName) => {
  let store: ContextStore;

  beforeEach(async () => {
    store = stores.get(storeName);
    for (const [chatId, userId, text] of [
      ['porto', 'u', 'Sardines & wine in Porto.'],
      ['lisbon', 'u', 'Sardines in Lisbon.'],
      ['theirs', 'other', 'Sardines of another user.'],
    ] as const) {
      await store.createChat({ id: chatId, userId });
      await store.saveMessages(chatId, [{ id: `${chatId}-1`, name: 'user', content: { text } }]);
    }
  });

  const { open } = enginesOn(() => store);

  const passages = (fragment: { data: unknown }) =>
    (fragment.data as { data: Record<string, string> }[]).map(({ data }) => data);

  test('returns passages of all chats of its user, with their locations', async () => {
    const found = passages(await open().recall('sardines'));
    const { createdAt } = (await store.getMessage('porto-1'))!;
    expect(found.map(({ chat }) => chat).sort()).toEqual(['lisbon', 'porto']);
    expect(found.find(({ chat }) => chat === 'porto')).toEqual({
      chat: 'porto',
      message: 'porto-1',
      author: 'user',
      time: new Date(createdAt).toISOString(),
      text: 'Sardines & wine in Porto.',
    });
  });

  test('searches the named chats only, and returns at most the limit', async () => {
    const inLisbon = passages(await open().recall('sardines', { chats: ['lisbon'] }));
    expect(inLisbon.map(({ message }) => message)).toEqual(['lisbon-1']);
    expect(passages(await open().recall('sardines', { chats: ['lisbon', 'porto'], limit: 1 }))).toHaveLength(1);
    const ids = async (...chats: string[]) =>
      passages(await open().recall('sardines', { chats })).map(({ message }) => message);
    expect(await ids('porto', 'lisbon')).toEqual(await ids('lisbon', 'porto'));
    expect(await open().recall('nothing of that')).toEqual({ name: 'recall', data: [] });
  });

  test('searches chats of others of which its user is a member with includeShared', async () => {
    const { remove } = await addMemberRow(stores.databaseUrl, 'theirs', 'u');
    const chats = async (options?: { includeShared: boolean }) =>
      passages(await open().recall('sardines', options)).map(({ chat }) => chat);
    expect((await chats({ includeShared: true })).sort()).toEqual(['lisbon', 'porto', 'theirs']);
    expect(await chats()).not.toContain('theirs');
    const listed = (await store.listChats({ userId: 'u', includeShared: true })).map(({ id }) => id);
    expect(listed.sort()).toEqual(['lisbon', 'porto', 'theirs']);
    expect(await store.listChats({ userId: 'u' })).toHaveLength(2);
    await remove();
    expect(await chats({ includeShared: true })).not.toContain('theirs');
  });

  test('returns of a long text the passage around the match', async () => {
    const text = `${'before '.repeat(500)}cod & "chips" ${'after '.repeat(500)}`;
    await store.saveMessages('porto', [{ id: 'long', name: 'user', content: { text } }]);
    const [found] = passages(await open().recall('cod'));
    expect(found?.['text']).toContain('cod & "chips"');
    expect(found?.['text']?.length).toBeLessThan(300);
  });

  test('its passages are part of the system prompt after set', async () => {
    const engine = open().set(user('Where?'));
    engine.set(await engine.recall('sardines', { chats: ['lisbon'] }));
    const { systemPrompt } = await engine.resolve({ renderer });
    expect(systemPrompt).toContain('<text>Sardines in Lisbon.</text>');
    expect(systemPrompt).toContain('<message>lisbon-1</message>');
  });

  test.each([
    [{ limit: 0 }, 'limit must be a whole number from 1 to 50, not 0', 'limit'],
    [{ includeShared: 1 as never }, 'includeShared must be true or false', 'includeShared'],
    [{ includeShared: true, chats: ['porto'] }, 'includeShared cannot be given together with chats', 'includeShared'],
    [{ chats: Array.from({ length: 21 }, String) }, 'chats must be a list of at most 20 ids', 'chats'],
  ])('refuses %o', async (options, message, path) => {
    expect(await failureOf(open().recall('x', options))).toEqual({ code: 'INVALID_INPUT', message, path });
  });
});
