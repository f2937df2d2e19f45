/** In which order a search shows what it finds, page by page, and what it can be narrowed to. */
import { describe, expect, test } from 'vitest';
import { assistantMessage, CreateChat, createChat, save, userMessage } from '../../support/chats/operations.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { find, openerWithTexts, search, type SearchPage } from '../../support/chats/search.js';

const openWithTexts = openerWithTexts();

/** The pages of `size` that follow each other, from the first to the last. */
async function pages(parley: Parley, query: string, size: number, filter: SearchPage = {}): Promise<string[][]> {
  const found: string[][] = [];
  for (let after: string | null | undefined = null; ;) {
    const page: SearchPage = { ...filter, first: size, ...(after == null ? {} : { after }) };
    const { hits, edges, pageInfo } = await search(parley, query, page);
    expect(pageInfo).toEqual({
      hasNextPage: pageInfo.hasNextPage,
      hasPreviousPage: after != null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    });
    found.push(hits.map((hit) => hit.id));
    if (!pageInfo.hasNextPage) return found;
    expect(hits).toHaveLength(size);
    after = pageInfo.endCursor;
  }
}

/** A server whose chats c0, c1 and c2 have `count` messages each, all with one text. */
async function openWithTies(count: number): Promise<Parley> {
  const parley = await openParley();
  for (const chatId of ['c0', 'c1', 'c2']) {
    await createChat(parley, chatId);
    const messages = Array.from({ length: count }, (_, n) => userMessage(`${chatId}-${n}`, 'the same words'));
    await save(parley, { chatId, messages });
  }
  return parley;
}

describe('the best comes first:', () => {
  test('more occurrences before fewer, and in shorter texts before longer ones', async () => {
    const parley = await openWithTexts({
      once: 'needle in a haystack of some length',
      long: `needle ${'hay '.repeat(200)}`,
      thrice: 'needle needle needle in a haystack of',
      short: 'needle',
      twice: 'needle in a needle stack of some length',
    });
    const { hits } = await search(parley, 'needle');
    expect(hits.map((hit) => hit.id)).toEqual(['thrice', 'twice', 'short', 'once', 'long']);
    const ranks = hits.map((hit) => hit.rank);
    expect(ranks).toEqual(ranks.toSorted((a, b) => b - a));
    expect(Math.min(...ranks)).toBeGreaterThan(0);
  });

  test('texts with all words often before texts with one of them often', async () => {
    const parley = await openWithTexts({ one: 'red red red red blue', both: 'red blue red blue red' });
    expect(await find(parley, 'red blue')).toEqual(['both', 'one']);
  });

  test('the newest among equals, and the last of one save', async () => {
    const parley = await openWithTexts({ m1: 'same words', m2: 'same words', m3: 'same words' });
    expect(await find(parley, 'same')).toEqual(['m3', 'm2', 'm1']);
  });

  test('ranks do not depend on other messages', async () => {
    const parley = await openWithTexts({ m1: 'needle one', m2: 'needle two three' });
    const before = (await search(parley, 'needle')).hits;
    await createChat(parley, 'other');
    await save(parley, {
      chatId: 'other',
      messages: Array.from({ length: 100 }, (_, n) => userMessage(`n${n}`, 'a needle and a lot of other words here')),
    });
    const after = (await search(parley, 'needle', { filter: { chatId: 'c' } })).hits;
    expect(after).toEqual(before);
  });
});

describe('the pages', () => {
  test('have 20 hits by default, 1,000 at most, and none for 0', async () => {
    const parley = await openWithTies(10);
    expect((await search(parley, 'same')).hits).toHaveLength(20);
    expect((await search(parley, 'same')).pageInfo.hasNextPage).toBe(true);
    expect((await search(parley, 'same', { first: 1000 })).hits).toHaveLength(30);
    expect((await search(parley, 'same', { first: 30 })).pageInfo.hasNextPage).toBe(false);
    expect(await search(parley, 'same', { first: 0 })).toMatchObject({ edges: [], pageInfo: { hasNextPage: true } });
  });

  test.each([1, 7, 29, 30, 31])('of %i reach the end without gaps or duplicates, despite ties', async (size) => {
    const parley = await openWithTies(10);
    const whole = await find(parley, 'same');
    expect(new Set(whole).size).toBe(30);
    expect((await pages(parley, 'same', size)).flat()).toEqual(whole);
  });

  test('cover hits of many ranks in one list', async () => {
    const texts = Array.from({ length: 60 }, (_, n) => [
      `m${n}`,
      `${'word '.repeat(1 + (n % 4))} ${'other '.repeat(n % 7)}`,
    ]);
    const parley = await openWithTexts(Object.fromEntries(texts) as Record<string, string>);
    const whole = await find(parley, 'word');
    expect(whole).toHaveLength(60);
    for (const size of [4, 13]) expect((await pages(parley, 'word', size)).flat()).toEqual(whole);
  });

  test('keep their position when better hits are added', async () => {
    const parley = await openWithTies(4);
    const first = await search(parley, 'same', { first: 5 });
    await save(parley, { chatId: 'c0', messages: [userMessage('better', 'same same same')] });
    const rest = await find(parley, 'same', { after: first.pageInfo.endCursor! });
    expect(new Set([...first.hits.map((hit) => hit.id), ...rest]).size).toBe(12);
    expect(rest).not.toContain('better');
    expect((await find(parley, 'same'))[0]).toBe('better');
  });

  test('continue at their position when the hit at their end is deleted', async () => {
    const parley = await openWithTies(4);
    const whole = await find(parley, 'same');
    const { pageInfo } = await search(parley, 'same', { first: 6 });
    const chatId = whole[5]!.split('-')[0]!;
    await parley.ask('mutation ($id: ID!) { deleteChat(input: { id: $id }) { __typename } }', { id: chatId });
    const expected = whole.slice(6).filter((id) => !id.startsWith(chatId));
    expect(await find(parley, 'same', { after: pageInfo.endCursor! })).toEqual(expected);
  });

  test('contain the newest 1,000 of more matches, and all matches of a narrower search', async () => {
    const parley = await openWithTexts({ best: 'same same same', old: 'same' });
    for (const part of [0, 1]) {
      const messages = Array.from({ length: 500 }, (_, n) => userMessage(`m${part * 500 + n}`, 'same words'));
      await save(parley, { chatId: 'c', messages });
    }
    await createChat(parley, 'other');
    await save(parley, { chatId: 'other', messages: [assistantMessage('new', 'again the same words')] });
    const newest = Array.from({ length: 1000 }, (_, n) => `m${999 - n}`);
    const inOne = await pages(parley, 'same', 400, { filter: { chatId: 'c' } });
    expect(inOne.map((page) => page.length)).toEqual([400, 400, 200]);
    expect(inOne.flat()).toEqual(newest);
    expect((await pages(parley, 'same', 1000)).flat()).toEqual([...newest.slice(0, -1), 'new']);
    expect(await find(parley, '"same same"')).toEqual(['best']);
    expect(await find(parley, 'same -words')).toEqual(['best', 'old']);
    expect(await find(parley, 'same', { filter: { names: ['assistant'] } })).toEqual(['new']);
  });

  test('can be nested in another query', async () => {
    const parley = await openWithTies(4);
    const { edges } = await search(parley, 'same');
    expect(await find(parley, 'nothing', { after: edges[3]!.cursor })).toEqual([]);
    expect(await find(parley, 'words', { after: edges[3]!.cursor })).toHaveLength(8);
  });
});

describe('a search is narrowed', () => {
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

  test('and paged', async () => {
    const parley = await openWithTies(10);
    const filter = { chatId: 'c1', names: ['user'] };
    const found = await pages(parley, 'same', 3, { filter });
    expect(found.map((page) => page.length)).toEqual([3, 3, 3, 1]);
    expect(found.flat()).toEqual(await find(parley, 'same', { filter }));
  });
});

test.each([
  ['a negative page', 'query: "x", first: -1', /first must/],
  ['a page of more than 1,000', 'query: "x", first: 1001', /first must/],
  ['an empty cursor', 'query: "x", after: ""', /not a cursor of this list/],
  ['a cursor that is none', 'query: "x", after: "x"', /not a cursor of this list/],
  ['the cursor of another list', `query: "x", after: "${cursor('chat:1:c')}"`, /not a cursor of this list/],
  ['a cursor without a chat', `query: "x", after: "${cursor('hit:1:1:1:')}"`, /not a cursor of this list/],
  ['a cursor of a chat that cannot be', `query: "x", after: "${cursor('hit:1:1:1:a\0')}"`, /not a cursor of this list/],
  ['a cursor beyond every number', `query: "x", after: "${cursor('hit:9999999999999999:1:1:c')}"`, /not a cursor/],
  ['a cursor beyond every message', `query: "x", after: "${cursor('hit:1:1:4294967296:c')}"`, /not a cursor/],
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

test('more than 100 names are refused with BAD_USER_INPUT', async () => {
  const parley = await openWithTexts({ m: 'x' });
  const names = JSON.stringify(Array.from({ length: 101 }, (_, n) => `n${n}`));
  for (const query of [
    `{ search(query: "x", filter: { names: ${names} }) { edges { cursor } } }`,
    `{ chat(id: "c") { search(query: "x", names: ${names}) { edges { cursor } } } }`,
  ]) {
    expect(await parley.ask(query)).toMatchObject({
      errors: [{ message: 'names must have at most 100 elements, not 101', extensions: { code: 'BAD_USER_INPUT' } }],
    });
  }
});

test('the largest and smallest cursors reach the end and the beginning', async () => {
  const parley = await openWithTies(2);
  const end = cursor(`hit:0:-9999999999999999:1:${'\u{10FFFF}'.repeat(100)}`);
  expect(await find(parley, 'same', { after: end })).toEqual([]);
  const start = cursor(`hit:999999999999999:9999999999999999:2147483647: `.trim() + 'a');
  expect(await find(parley, 'same', { after: start })).toHaveLength(6);
});

function cursor(text: string): string {
  return Buffer.from(text).toString('base64url');
}

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
