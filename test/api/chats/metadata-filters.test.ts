/** Filters on metadata compare JSON values exactly, by type and exactly, on every database. */
import { beforeEach, describe, expect, test } from 'vitest';
import { graphql } from '../../generated/graphql/gql.js';
import { CreateChat } from '../../support/chats/operations.js';
import { openParley, type Parley } from '../../support/server/parley.js';

const ChatsWith = graphql(`
  query ChatsWith($filter: ChatFilter, $first: Int, $after: String) {
    chats(filter: $filter, first: $first, after: $after) {
      totalCount
      edges {
        node {
          id
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

type Condition = { key: string; equals: unknown };

let parley: Parley;
beforeEach(async () => {
  parley = await openParley();
});

async function create(id: string, metadata: object): Promise<void> {
  const { createChat: result } = await parley.run(CreateChat, { input: { id, metadata } });
  expect(result).toMatchObject({ __typename: 'CreateChatPayload', chat: { metadata } });
}

/** The ids of the chats that meet all conditions, verified against their count. */
async function chatsWith(...metadata: Condition[]): Promise<string[]> {
  const { chats } = await parley.run(ChatsWith, { filter: { metadata }, first: 1000 });
  expect(chats.totalCount).toBe(chats.edges.length);
  return chats.edges.map(({ node }) => node.id).sort();
}

/** Values that are pairwise different. */
const DIFFERENT: Record<string, unknown> = {
  true: true,
  false: false,
  null: null,
  zero: 0,
  one: 1,
  'minus one': -1,
  half: 0.5,
  'one and a bit': 1.0000000000000002,
  large: 1e21,
  'larger than any integer': 9007199254740993,
  'very large': 1e300,
  'very small': 5e-324,
  'text true': 'true',
  'text null': 'null',
  'text 1': '1',
  'text 1.0': '1.0',
  'text 0': '0',
  'text 1e21': '1e21',
  'text {}': '{}',
  'quoted 1': '"1"',
  'no text': '',
  space: ' ',
  'two spaces': '  ',
  a: 'a',
  'a, capital': 'A',
  'a with an accent': 'á',
  'a with a combining accent': 'a\u0301',
  'a with a space behind': 'a ',
  'a with a space before': ' a',
  'a with a tab behind': 'a\t',
  'a with a line behind': 'a\n',
  'a of full width': 'ａ',
  ab: 'ab',
  'a percent': 'a%',
  underscore: '_',
  quotes: 'é"\\\'',
  'a backslash': '\\',
  'an emoji': '🙂',
  'beyond the basic plane': '𠮷',
  'a long text': 'x'.repeat(5000),
  'a longer text': 'x'.repeat(5001),
  'an empty list': [],
  'list of null': [null],
  'list of one': [1],
  'list of true': [true],
  'list of text 1': ['1'],
  'list of two': [1, 2],
  'list in another order': [2, 1],
  'list with one twice': [1, 1],
  'list in a list': [[1]],
  'an empty object': {},
  'object of null': { a: null },
  'object of one': { a: 1 },
  'object of true': { a: true },
  'object of text': { a: '1' },
  'object of another key': { b: 1 },
  'object of a capital key': { A: 1 },
  'object of two': { a: 1, b: [true, { c: null, d: 'x' }] },
  'object of two, other order inside': { a: 1, b: [{ c: null, d: 'x' }, true] },
  'object of more': { a: 1, b: [true, { c: null, d: 'x' }], c: 0 },
  'object in an object': { a: { a: 1 } },
};

describe('a value', () => {
  test('matches only itself', async () => {
    for (const [id, tag] of Object.entries(DIFFERENT)) await create(id, { tag, more: id });
    await create('without', { other: 1 });
    for (const [id, equals] of Object.entries(DIFFERENT)) {
      expect({ id, found: await chatsWith({ key: 'tag', equals }) }).toEqual({ id, found: [id] });
    }
    expect(await chatsWith({ key: 'other', equals: null })).toEqual([]);
    expect(await chatsWith({ key: 'nowhere', equals: null })).toEqual([]);
  });

  test('matches a number in any notation', async () => {
    // As JSON text, because numbers in JavaScript lose their notation.
    const write = (id: string, number: string) =>
      parley.post(
        `{"query":"mutation ($id: ID!, $m: JSON!) { createChat(input: { id: $id, metadata: $m }) { __typename } }",
          "variables":{"id":"${id}","m":{"n":${number}}}}`,
      );
    await write('plain', '1');
    await write('with a fraction', '1.0');
    await write('with an exponent', '10e-1');
    await write('large', '1e21');
    await write('large in full', '1000000000000000000000');
    await write('minus zero', '-0.0');
    await write('zero', '0');
    expect(await chatsWith({ key: 'n', equals: 1 })).toEqual(['plain', 'with a fraction', 'with an exponent']);
    expect(await chatsWith({ key: 'n', equals: 1e21 })).toEqual(['large', 'large in full']);
    expect(await chatsWith({ key: 'n', equals: 0 })).toEqual(['minus zero', 'zero']);
    expect(await chatsWith({ key: 'n', equals: '1' })).toEqual([]);
  });

  test('matches objects with any order of keys at every depth, and lists only in order', async () => {
    await create('c', { tag: { a: 1, b: { c: [{ x: 1, y: 2 }], d: null } } });
    const equal = { b: { d: null, c: [{ y: 2, x: 1 }] }, a: 1 };
    expect(await chatsWith({ key: 'tag', equals: equal })).toEqual(['c']);
    for (const other of [
      { a: 1 },
      { ...equal, c: 1 },
      { a: 1, b: { c: [{ x: 1, y: 2 }] } },
      { a: 1, b: { c: [{ x: 1, y: 2 }, {}], d: null } },
      { a: 1, b: { c: { x: 1, y: 2 }, d: null } },
    ]) {
      expect(await chatsWith({ key: 'tag', equals: other })).toEqual([]);
    }
  });

  test('can be nested as deep as metadata', async () => {
    const deep = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;
    await create('c', { tag: deep(99) });
    expect(await chatsWith({ key: 'tag', equals: deep(99) })).toEqual(['c']);
    expect(await chatsWith({ key: 'tag', equals: deep(98) })).toEqual([]);
  });

  test('matches the present metadata after a change', async () => {
    await create('c', { tag: 1, stays: 'x' });
    await parley.ask('mutation { updateChat(input: { chatId: "c", metadataPatch: { tag: true } }) { __typename } }');
    expect(await chatsWith({ key: 'tag', equals: 1 })).toEqual([]);
    expect(await chatsWith({ key: 'tag', equals: true }, { key: 'stays', equals: 'x' })).toEqual(['c']);
    await parley.ask('mutation { updateChat(input: { chatId: "c", metadataPatch: { tag: null } }) { __typename } }');
    expect(await chatsWith({ key: 'tag', equals: null })).toEqual([]);
    expect(await chatsWith({ key: 'tag', equals: true })).toEqual([]);
    // An update to the present values writes nothing.
    const { data } = await parley.ask(`mutation {
      updateChat(input: { chatId: "c", title: null, metadataPatch: { stays: "x" } }) {
        ... on UpdateChatPayload { chat { version metadata } }
      }
    }`);
    expect(data).toEqual({ updateChat: { chat: { version: 5, metadata: { stays: 'x' } } } });
  });
});

test.each([
  '',
  ' ',
  'a b',
  'trailing ',
  'trailing',
  'Trailing',
  'dotted.key',
  '$',
  '$.tag',
  '"quoted"',
  "it's",
  'back\\slash',
  '\\u0041',
  '[0]',
  '0',
  'a[0].b',
  '%',
  '_',
  'null',
  '__proto__',
  'ключ',
  'é',
  'e\u0301',
  '🙂',
  '\n',
  '\t',
  'ß',
  'x'.repeat(300),
])('the key %j is compared exactly', async (key) => {
  const like = [`${key} `, ` ${key}`, key.toUpperCase(), [...key].slice(1).join(''), `${key}.a`, `${key}x`].filter(
    (other) => other !== key,
  );
  await create('it', Object.fromEntries([[key, { a: 1 }]]));
  await create('another', Object.fromEntries([...new Set(like)].map((other) => [other, { a: 1 }])));
  expect(await chatsWith({ key, equals: { a: 1 } })).toEqual(['it']);
  expect(await chatsWith({ key, equals: 1 })).toEqual([]);
});

test('all conditions of a filter must hold, also two on one key', async () => {
  await create('both', { a: 1, b: 'x' });
  await create('one', { a: 1, b: 'y' });
  expect(await chatsWith({ key: 'a', equals: 1 })).toEqual(['both', 'one']);
  expect(await chatsWith({ key: 'a', equals: 1 }, { key: 'b', equals: 'x' })).toEqual(['both']);
  expect(await chatsWith({ key: 'a', equals: 1 }, { key: 'a', equals: 1 })).toEqual(['both', 'one']);
  expect(await chatsWith({ key: 'a', equals: 1 }, { key: 'a', equals: 2 })).toEqual([]);
});

test('a filter has ten conditions at most', async () => {
  const conditions = Object.entries(DIFFERENT).map(([key, equals]) => ({ key, equals }));
  const metadata = Object.fromEntries(Object.entries(DIFFERENT).slice(0, 10));
  await create('all ten', metadata);
  await create('nine', { ...metadata, [conditions[9]!.key]: 'another' });
  expect(await chatsWith(...conditions.slice(0, 10))).toEqual(['all ten']);
});
