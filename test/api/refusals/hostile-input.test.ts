/** Any input returns a result or a clear error, never INTERNAL_SERVER_ERROR. */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { schema } from '../../../src/server/schema.js';
import { isInMemory } from '../../support/database/database-kind.js';
import { runs } from '../../support/effort.js';
import { hostileRequest } from '../../support/chats/hostile-documents.js';
import { assistantMessage, createChat, save, userMessage } from '../../support/chats/operations.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { expectSoundDatabase } from '../../support/database/sound-database.js';

let parley: Parley;
beforeEach(async () => {
  // Without limits, which have separate tests: the input must reach the resolvers.
  parley = await openParley({ limits: { maxAliases: 10_000, costLimit: Number.MAX_SAFE_INTEGER } });
  await createChat(parley, 'c');
  await save(parley, { chatId: 'c', messages: [userMessage('m1'), assistantMessage('m2'), userMessage('m3')] });
});
afterEach(async () => {
  expect(parley.takeUnexpectedErrors()).toEqual([]);
  // A database in memory is not visible to other connections.
  if (!isInMemory) await expectSoundDatabase(parley.databaseUrl);
});

test('thousands of documents generated from the schema, with hostile values', async () => {
  const codes = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(hostileRequest(schema), async (request) => {
      const response = await parley.post(JSON.stringify(request));
      const { data, errors = [] } = (await response.json()) as Answer;
      for (const error of errors) {
        const code = error.extensions?.code;
        expect(code, error.message).toMatch(
          /^(INVALID_INPUT|BAD_USER_INPUT|GRAPHQL_VALIDATION_FAILED|GRAPHQL_PARSE_FAILED)$/,
        );
        codes.set(String(code), (codes.get(String(code)) ?? 0) + 1);
      }
      if (errors.length === 0) {
        expect(data).not.toBeNull();
        codes.set('data', (codes.get('data') ?? 0) + 1);
      }
    }),
    { numRuns: runs(3_600) },
  );
  // Both must be frequent for the test to be meaningful.
  expect(codes.get('data')).toBeGreaterThan(runs(500));
  expect(codes.get('BAD_USER_INPUT')).toBeGreaterThan(runs(300));
});

test('bodies that are not requests', async () => {
  const bodies = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.json().map((text) => text.slice(0, -1)),
    fc.record({ query: fc.anything(), variables: fc.anything(), operationName: fc.anything() }).map(tryStringify),
    fc.string({ unit: 'grapheme', maxLength: 200 }).map((query) => JSON.stringify({ query })),
  );
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const response = await parley.post(body);
      expect(response.status).toBeLessThan(500);
      const text = await response.text();
      expect(text).not.toMatch(/INTERNAL_SERVER_ERROR|Unexpected error/);
      if (response.status >= 400) expect(text).toMatch(/"message":"[^"]/);
    }),
    { numRuns: runs(1000) },
  );
});

const nested = (depth: number, open: string, core: string, close: string) =>
  `${open.repeat(depth)}${core}${close.repeat(depth)}`;

test.each<[string, string]>([
  ['selections 20,000 deep', nested(20_000, '{ a ', '', '}')],
  ['selections 1,600 deep', `{ message(id: "m1") ${nested(1_600, '{ parent ', '{ id }', '}')} }`],
  ['a parent chain 400 deep', `{ message(id: "m3") ${nested(400, '{ parent ', '{ id }', '}')} }`],
  [
    'chat in message in chat, 500 deep',
    `{ message(id: "m3") ${nested(250, '{ chat { latestLeaf ', '{ id }', '} }')} }`,
  ],
  ['lists 4,000 deep', `{ chats(filter: { metadata: ${nested(4_000, '[', '', ']')} }) { totalCount } }`],
  [
    'objects 1,200 deep',
    `mutation { createChat(input: { metadata: ${nested(1_200, '{a:', '1', '}')} }) { __typename } }`,
  ],
  ['list types 4,900 deep', `query ($a: ${nested(4_900, '[', 'Int', ']')}) { viewer { userId } }`],
  ['10,000 aliases', `{ ${Array.from({ length: 10_000 }, (_, n) => `a${n}: viewer { userId }`).join(' ')} }`],
  ['1,000 aliases', `{ ${Array.from({ length: 1_000 }, (_, n) => `a${n}: viewer { userId }`).join(' ')} }`],
  ['10,000 directives', `{ viewer ${'@skip(if: false) '.repeat(10_000)} { userId } }`],
  ['1,000 unknown directives', `{ viewer ${'@no '.repeat(1_000)} { userId } }`],
  ['fragments in a circle', '{ viewer { ...A } } fragment A on Viewer { ...B } fragment B on Viewer { ...A }'],
  [
    '600 fragments in a row',
    `{ viewer { ...F0 } } ${Array.from({ length: 600 }, (_, n) => `fragment F${n} on Viewer { ...F${n + 1} }`).join(' ')}
     fragment F600 on Viewer { userId }`,
  ],
  ['a string of 3 MB', `{ chat(id: "${'x'.repeat(3_000_000)}") { id } }`],
  ['nothing', ''],
  ['only a comment', '# nothing'],
  ['a subscription', 'subscription { chats { totalCount } }'],
  ['two operations without a name', '{ viewer { userId } } { viewer { userId } }'],
  ['a number too large for any type', '{ chats(first: 1e999) { totalCount } }'],
  [
    'an infinite number in JSON',
    'mutation { createChat(input: { metadata: { a: 1e999 } }) { ... on Error { message } } }',
  ],
  ['a prototype in JSON', 'mutation { createChat(input: { metadata: { __proto__: { a: 1 } } }) { __typename } }'],
  ['an enum in JSON', 'mutation { createChat(input: { metadata: { a: b } }) { __typename } }'],
])('%s', async (_name, query) => {
  const response = await parley.post(JSON.stringify({ query }));
  expect(response.status).toBeLessThan(500);
  const { errors } = (await response.json()) as Answer;
  for (const error of errors ?? []) {
    expect(error.message).not.toBe('');
    expect(error.extensions?.code ?? 'none').not.toBe('INTERNAL_SERVER_ERROR');
  }
});

test.each(['variables', 'extensions'])('GET with %s that are not JSON', async (name) => {
  for (const value of ['%7B', 'undefined', '%00', '[', '']) {
    const response = await parley.get(`query=${encodeURIComponent('{ viewer { userId } }')}&${name}=${value}`);
    const answer = (await response.json()) as Answer;
    if (value === '') expect(answer).toEqual({ data: { viewer: { userId: 'local' } } });
    else expect(answer).toMatchObject({ errors: [{ message: `The parameter ${name} must be JSON` }] });
    expect(response.status).toBe(value === '' ? 200 : 400);
  }
});

test('a key named __proto__ is treated as any key', async () => {
  const metadata = JSON.parse('{"__proto__":{"a":1},"constructor":{"b":2}}') as object;
  const body = (field: string, input: string) =>
    `{"query":"mutation ($input: ${field}Input!) { ${field[0]?.toLowerCase()}${field.slice(1)}(input: $input) { __typename } }","variables":{"input":${input}}}`;
  await parley.post(body('CreateChat', `{"id":"p","metadata":${JSON.stringify(metadata)}}`));
  await parley.post(body('UpdateChat', '{"chatId":"p","metadataPatch":{"__proto__":{"c":3}}}'));
  const { data } = await parley.ask('{ chat(id: "p") { metadata } }');
  expect(JSON.stringify(data)).toBe('{"chat":{"metadata":{"__proto__":{"a":1,"c":3},"constructor":{"b":2}}}}');
  expect(({} as { a?: unknown }).a).toBeUndefined();
});

interface Answer {
  data?: unknown;
  errors?: { message: string; extensions?: { code?: unknown } }[];
}

function tryStringify(value: unknown): string {
  try {
    return JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
  } catch {
    return 'null';
  }
}
