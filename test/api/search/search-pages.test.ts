/** The order of hits, page by page. */
import { describe, expect, test } from 'vitest';
import { assistantMessage, createChat, save, userMessage } from '../../support/chats/operations.js';
import { find, openerWithTexts, search } from '../../support/chats/search.js';
import { pages, openWithTies, cursor } from './search-servers.js';

const openWithTexts = openerWithTexts();

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

  test('many occurrences of all words before many occurrences of one word', async () => {
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
    await parley.ask('mutation ($id: ID!) { deleteChat(input: { chatId: $id }) { __typename } }', { id: chatId });
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
