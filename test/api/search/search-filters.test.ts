/** Searches within chats, names and dates. */
import { describe, expect, test } from 'vitest';
import { assistantMessage, CreateChat, createChat, save, userMessage } from '../../support/chats/operations.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { find, openerWithTexts } from '../../support/chats/search.js';
import { cursor } from './search-servers.js';

const openWithTexts = openerWithTexts();

describe('a search is limited', () => {
  async function openWithNames(): Promise<Parley> {
    const parley = await openParley();
    for (const chatId of ['c', 'C', 'd']) {
      await createChat(parley, chatId);
      await save(parley, {
        chatId,
        messages: [
          userMessage(`${chatId}-user`, 'needle'),
          assistantMessage(`${chatId}-assistant`, 'needle'),
          { id: `${chatId}-odd`, name: 'Ünï "x" %', type: 'message', content: { text: 'needle' } },
        ],
      });
    }
    return parley;
  }
  const sorted = async (found: Promise<string[]>) => (await found).toSorted();

  test('to messages of some names', async () => {
    const parley = await openWithNames();
    const named = (names: string[]) => sorted(find(parley, 'needle', { filter: { chatId: 'c', names } }));
    expect(await named(['user'])).toEqual(['c-user']);
    expect(await named(['assistant', 'user', 'nobody'])).toEqual(['c-assistant', 'c-user']);
    expect(await named(['Ünï "x" %'])).toEqual(['c-odd']);
    for (const none of [[], ['User'], ['use'], ['%'], ['user '], [''], ['a\0'], ['x'.repeat(300)]]) {
      expect({ none, found: await named(none) }).toEqual({ none, found: [] });
    }
    expect(await sorted(find(parley, 'needle', { filter: { names: ['user'] } }))).toEqual([
      'C-user',
      'c-user',
      'd-user',
    ]);
    expect(await named(Array.from({ length: 100 }, (_, n) => (n === 50 ? 'user' : `n${n}`)))).toEqual(['c-user']);
  });

  test('to one chat, by its exact id', async () => {
    const parley = await openWithNames();
    const within = (chatId: string) => sorted(find(parley, 'needle', { filter: { chatId } }));
    expect(await within('c')).toEqual(['c-assistant', 'c-odd', 'c-user']);
    expect(await within('C')).toEqual(['C-assistant', 'C-odd', 'C-user']);
    for (const none of ['', 'c ', 'nowhere', 'x'.repeat(1000), '\0', "'"]) expect(await within(none)).toEqual([]);
  });

  test('by Chat.search, with the same hits', async () => {
    const parley = await openWithNames();
    const { data } = await parley.ask(`{
      chat(id: "d") {
        all: search(query: "needle") { edges { node { rank snippet message { id } } } }
        user: search(query: "needle", names: ["user"], first: 5) { edges { node { message { id } } } pageInfo { hasNextPage } }
        nothing: search(query: "haystack") { edges { node { message { id } } } }
      }
      search(query: "needle", filter: { chatId: "d" }) { edges { node { rank snippet message { id } } } }
    }`);
    const answer = data as { chat: { all: unknown }; search: unknown };
    expect(answer.chat.all).toEqual(answer.search);
    expect(answer.chat).toMatchObject({
      user: { edges: [{ node: { message: { id: 'd-user' } } }], pageInfo: { hasNextPage: false } },
      nothing: { edges: [] },
    });
  });
});

test.each([
  ['a negative page', 'query: "x", first: -1', /first must/],
  ['a page of more than 1,000', 'query: "x", first: 1001', /first must/],
  ['an empty cursor', 'query: "x", after: ""', /not a cursor of this list/],
  ['an invalid cursor', 'query: "x", after: "x"', /not a cursor of this list/],
  ['the cursor of another list', `query: "x", after: "${cursor('chat:1:c')}"`, /not a cursor of this list/],
  ['a cursor without a chat', `query: "x", after: "${cursor('hit:1:1:1:')}"`, /not a cursor of this list/],
  ['a cursor with an invalid chat id', `query: "x", after: "${cursor('hit:1:1:1:a\0')}"`, /not a cursor of this list/],
  ['a cursor with too large a number', `query: "x", after: "${cursor('hit:9999999999999999:1:1:c')}"`, /not a cursor/],
  ['a cursor with too large a seq', `query: "x", after: "${cursor('hit:1:1:4294967296:c')}"`, /not a cursor/],
  ['a cursor with a fraction', `query: "x", after: "${cursor('hit:1.5:1:1:c')}"`, /not a cursor of this list/],
])('%s is refused with BAD_USER_INPUT', async (_, args, reason) => {
  const parley = await openWithTexts({ m: 'x' });
  for (const query of [
    `{ search(${args}) { edges { cursor } } }`,
    `{ chat(id: "c") { search(${args}) { edges { cursor } } } }`,
  ]) {
    const { errors } = await parley.ask(query);
    expect(errors).toMatchObject([
      { message: expect.stringMatching(reason) as string, extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  }
});

describe('a filter keeps', () => {
  const at = (ms: number) => new Date(ms).toISOString();
  const user = (userId: string) => ({ 'x-user-id': userId });

  test('messages between two times, exclusive', async () => {
    const parley = await openWithTexts({ m1: 'same words', m2: 'same words', m3: 'same words', m4: 'other words' });
    const database = await rawDatabase(parley.databaseUrl);
    await database.run(
      `UPDATE message_texts SET "createdAt" = CASE "messageId" WHEN 'm1' THEN 1000 WHEN 'm2' THEN 2000 ELSE 3000 END`,
    );
    expect(await find(parley, 'same', { filter: { createdAfter: at(999) } })).toEqual(['m3', 'm2', 'm1']);
    expect(await find(parley, 'same', { filter: { createdAfter: at(1000) } })).toEqual(['m3', 'm2']);
    expect(await find(parley, 'same', { filter: { createdBefore: at(3000) } })).toEqual(['m2', 'm1']);
    const between = { createdAfter: at(1000), createdBefore: at(3000) };
    expect(await find(parley, 'same', { filter: between })).toEqual(['m2']);
    expect(await find(parley, 'same', { filter: { ...between, chatId: 'c', names: ['user'] } })).toEqual(['m2']);
    // Prefixes and exclusions alone do not use the index.
    expect(await find(parley, 's* -other', { filter: between })).toEqual(['m2']);
    expect(await find(parley, 'same', { filter: { ...between, names: ['assistant'] } })).toEqual([]);
  });

  test('messages in the chats of one user', async () => {
    const parley = await openParley();
    for (const userId of ['alice', 'bob']) {
      const input = { id: `of ${userId}`, userId };
      await parley.run(CreateChat, { input });
      await save(parley, { chatId: input.id, messages: [userMessage(userId, 'same words')] });
    }
    expect((await find(parley, 'same')).sort()).toEqual(['alice', 'bob']);
    expect(await find(parley, 'same', { filter: { userId: 'alice' } })).toEqual(['alice']);
    expect(await find(parley, 's*', { filter: { userId: 'bob' } })).toEqual(['bob']);
    expect(await find(parley, 'same', { filter: { userId: 'bob', chatId: 'of bob' } })).toEqual(['bob']);
    expect(await find(parley, 'same', { filter: { userId: 'bob', chatId: 'of alice' } })).toEqual([]);
    expect(await find(parley, 'same', { filter: { userId: 'nobody' } })).toEqual([]);
    for (const userId of ['', 'no id ']) expect(await find(parley, 'same', { filter: { userId } })).toEqual([]);
  });

  test("other users' messages for admins only", async () => {
    const parley = await openWithTexts({ m1: 'same words' });
    const query = `{ search(query: "same", filter: { userId: "local" }) { edges { node { message { id } } } } }`;
    const answerTo = async (userId: string) => {
      const answer = await parley.post(JSON.stringify({ query: query.replace('local', userId) }), user('alice'));
      return (await answer.json()) as unknown;
    };
    expect(await answerTo('alice')).toEqual({ data: { search: { edges: [] } } });
    expect(await answerTo('local')).toMatchObject({
      errors: [
        {
          message: "filter.userId: only an admin may search another user's chats",
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ],
    });
  });
});
