/** The cost of an operation: the number of objects that it could return, by its pages and limits. */
import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../src/server/schema.js';
import { estimateCost } from '../../src/http/limits/cost.js';
import { bothTransports } from './both-transports.js';

const MAX = Number.MAX_SAFE_INTEGER;
const EDGE = 'edges { node { id } } pageInfo { endCursor }';
const SAVE = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input)';

it.each<[what: string, nodes: number, document: string, variables?: Record<string, unknown>]>([
  ['an object', 1, '{ chat(id: "c") { id } }'],
  ['no object', 0, '{ __typename __schema { types { name fields { name } } } }'],
  ['a page as everybody gets it', 20, `{ chats { totalCount ${EDGE} } }`],
  ['a page of a size', 7, `{ chats(first: 7) { ${EDGE} } }`],
  ['the last of a list', 8, `{ chats(last: 8) { ${EDGE} } }`],
  ['a page of a size in a variable', 9, `query ($n: Int) { chats(first: $n) { ${EDGE} } }`, { n: 9 }],
  ['the default of a variable', 3, `query ($n: Int = 3) { chats(first: $n) { ${EDGE} } }`],
  ['a missing variable', 20, `query ($n: Int) { chats(first: $n) { ${EDGE} } }`],
  ['a page that is too large', 1000, `{ chats(first: 2000000000) { ${EDGE} } }`],
  ['a page from both ends', 1000, `{ chats(first: 1, last: 1) { ${EDGE} } }`],
  ['a connection without edges', 0, '{ chats { totalCount } }'],
  ['pages in pages', 5 + 5 * 20, `{ chats(first: 5) { edges { node { branches { ${EDGE} } } } } }`],
  ['a search', 3 + 3, '{ search(query: "x", first: 3) { edges { node { rank message { id } } } } }'],
  ['a chain', 2 + 1000, '{ chat(id: "c") { activeBranch { chain { id } } } }'],
  ['a chain with a limit', 2 + 40, '{ chat(id: "c") { activeBranch { chain(limit: 40) { id } } } }'],
  ['a chain with a negative limit', 2 + 1000, '{ chat(id: "c") { activeBranch { chain(limit: -1) { id } } } }'],
  ['messages as JSON', 3 + 1000, '{ chat(id: "c") { activeBranch { context(input: {}) { messages } } } }'],
  ['a graph', 2 + 1000, '{ chat(id: "c") { graph { nodes { id } } } }'],
  ['an outline', 2 + 1000, '{ chat(id: "c") { outline { segments { firstId } } } }'],
  ['a list without a size', 1 + 10, '{ chat(id: "c") { roots { id } } }'],
  [
    'the same twice',
    11,
    '{ chat(id: "c") { roots { id } } ...A } fragment A on Query { chat(id: "c") { roots { text } } }',
  ],
  ['the same under two names', 2, '{ a: chat(id: "c") { id } b: chat(id: "c") { id } }'],
  [
    'skipped fields',
    1,
    'query ($no: Boolean!) { viewer { userId } chat(id: "c") @include(if: $no) { id } ... @skip(if: true) { chats { edges { node { id } } } } }',
    { no: false },
  ],
  [
    'the dearest of the types that it may be',
    1 + 10,
    '{ node(nodeId: "x") { ... on Message { siblings { id } } ... on Chat { activeBranch { id } } ... on Branch { name } } }',
  ],
  [
    'only the fragments of each type',
    1 + 1 + 100,
    `{ node(nodeId: "x") { ... on Message { chat { branches(first: 100) { ${EDGE} } } } ... on Branch { chat { checkpoints(first: 100) { edges { node { name } } } } } } }`,
  ],
  ['a mutation', 1 + 500, `${SAVE} { ... on SaveMessagesPayload { messages { id } } ... on Error { code } } }`],
  [
    'an answer of a subscription',
    2 + 1000,
    'subscription { branchHead(chatId: "c") { branch { id } appended { id } } }',
  ],
  [
    'more than can be counted',
    MAX,
    `{ message(id: "m") { ${'children(first: 1000) { edges { node { '.repeat(8)} id ${'} } } '.repeat(8)} } }`,
  ],
])('%s costs %i', (_what, nodes, document, variableValues = {}) => {
  expect(estimateCost({ schema, document: parse(document), variableValues })).toEqual({ nodes, isWhole: true });
});

it('stops counting above the limit', () => {
  const fragments = Array.from(
    { length: 100 },
    (_, n) => `fragment F${n} on Message { parent { ...F${n + 1} } latestLeaf { ...F${n + 1} } }`,
  );
  const document = parse(`{ message(id: "m") { ...F0 } } ${fragments.join(' ')} fragment F100 on Message { id }`);
  expect(estimateCost({ schema, document })).toMatchObject({ isWhole: false });
});

const refusal = (estimate: number, limit: number) => ({
  errors: [
    {
      message: `The operation could return ${estimate} objects, and no more than ${limit} are allowed: request shorter lists`,
      extensions: { code: 'COST_LIMIT_EXCEEDED', estimate, limit },
    },
  ],
});

it('is refused one above the limit, before anything runs', async () => {
  const query = `query ($n: Int) { chats(first: $n) { ${EDGE} } }`;
  const byDefault = await bothTransports();
  const within =
    '{ message(id: "m") { children(first: 109) { edges { node { children(first: 1000) { edges { node { id } } } } } } } }';
  expect(await byDefault.ask(within)).toEqual({ data: { message: null } });
  expect(await byDefault.ask(within.replace('first: 109', 'first: 110'))).toEqual(refusal(110_111, 110_000));

  const { ask, status } = await bothTransports({ costLimit: 30 });
  expect(await ask(query, { n: 30 })).toHaveProperty('data.chats');
  expect(await ask(query, { n: 31 })).toEqual(refusal(31, 30));
  expect(await status(query, { n: 31 })).toBe(400);

  const branches = '{ chat(id: "demo") { branches { totalCount } } }';
  const before = await ask(branches);
  const rewind = `mutation { rewind(input: { chatId: "demo", at: { message: "demo-answer" } }) {
    ... on BranchPayload { branch { chain(limit: 40) { id } } } } }`;
  expect(await ask(rewind)).toEqual(refusal(42, 30));
  expect(await ask(branches)).toEqual(before);
  const subscription = 'subscription { branchHead(chatId: "demo") { appended { id } } }';
  expect(await ask(subscription)).toEqual(refusal(1001, 30));
});

it('an invalid variable is reported by validation', async () => {
  const { ask } = await bothTransports({ costLimit: 1 });
  for (const n of ['x', 2 ** 40]) {
    const { errors } = await ask(`query ($n: Int) { chats(first: $n) { ${EDGE} } }`, { n });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  }
  const { errors } = await ask('query ($a: Boolean = true) { chats @skip(if: $a) { totalCount } }', { a: null });
  expect(errors?.[0]?.extensions?.['code']).toBe('BAD_USER_INPUT');
});
