/** Limits of documents: each at its bound and one above it, over HTTP and over WebSocket. */
import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../src/server/schema.js';
import { readGraphiqlTabs } from '../../src/features/pages/graphiql.js';
import { estimateCost } from '../../src/http/limits/cost.js';
import { checkDocument } from '../../src/http/limits/document-limits.js';
import { DEFAULT_LIMITS, type Limits } from '../../src/limits/limits.js';
import { bothTransports } from './both-transports.js';

const times = (count: number, part: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => part(n)).join(' ');

/** Parents of parents: with the field of the root and that of the last, two more fields deep. */
const parents = (count: number) => `{ message(id: "m") { ${'parent { '.repeat(count)} id ${'}'.repeat(count)} } }`;
/** Alternatives of alternatives: a list each. */
const children = (count: number) =>
  `{ message(id: "m") { ${'children(first: 1) { edges { node { '.repeat(count)} id ${'} } }'.repeat(count)} } }`;
const aliases = (count: number) => `{ viewer { ${times(count, (n) => `a${n}: userId`)} } }`;
const rootFields = (count: number) => `{ __typename ${times(count - 1, (n) => `a${n}: __typename`)} }`;
const directives = (count: number) => `{ viewer { ${times(count, () => 'userId @skip(if: false)')} } }`;
const repeated = (count: number) => `{ viewer { ${'__typename '.repeat(count)} } }`;

const LIMITS: [limit: keyof Limits, document: (count: number) => string, message: (count: number) => string][] = [
  ['maxDepth', (depth) => parents(depth - 2), (depth) => `The document nests fields ${depth} levels deep`],
  ['maxListDepth', children, (depth) => `The document nests lists ${depth} levels deep`],
  ['maxAliases', aliases, (count) => `The document has ${count} aliases`],
  ['maxRootFields', rootFields, (count) => `The document has ${count} root fields`],
  ['maxDirectives', directives, (count) => `The document has ${count} directives`],
  ['maxSelections', repeated, (count) => `The document has ${count} selections of one object`],
];

it.each(LIMITS)('%s is refused one above its bound', async (limit, document, message) => {
  for (const limits of [{}, { [limit]: 5 }]) {
    // Without the other limits.
    const wide = limit === 'maxListDepth' ? { maxDepth: 100 } : {};
    const bound = { ...DEFAULT_LIMITS, ...limits }[limit];
    const { ask, status } = await bothTransports({ ...wide, ...limits });

    const { data, errors } = await ask(document(bound));
    expect(errors).toBeUndefined();
    expect(data).toBeDefined();

    const refused = await ask(document(bound + 1));
    expect(refused).toEqual({
      errors: [
        {
          message: `${message(bound + 1)}: no more than ${bound} are allowed`,
          locations: [expect.anything()],
          extensions: { code: 'DOCUMENT_LIMIT_EXCEEDED', limit: bound },
        },
      ],
    });
    expect(await status(document(bound + 1))).toBe(400);
  }
});

it('counts the selection of a fragment for each use', async () => {
  const { ask } = await bothTransports({ maxDepth: 4, maxAliases: 4 });
  const deep = (field: string) => `{ message(id: "m") { ...A } }
    fragment A on Message { parent { ...B } } fragment B on Message { ${field} }`;
  expect(await ask(deep('parent { id }'))).toMatchObject({ data: { message: null } });
  expect(await ask(deep('parent { parent { id } }'))).toMatchObject({
    errors: [{ message: 'The document nests fields 5 levels deep: no more than 4 are allowed' }],
  });
  const twice = (other: string) => `{ message(id: "m") { parent { ...A } ${other} } }
    fragment A on Message { a: id b: id }`;
  expect(await ask(twice('latestLeaf { ...A }'))).toMatchObject({ data: { message: null } });
  expect(await ask(twice('latestLeaf { ...A } c: id'))).toMatchObject({
    errors: [{ message: 'The document has 5 aliases: no more than 4 are allowed' }],
  });
});

it('counts merged selections once', async () => {
  const { ask } = await bothTransports({ maxAliases: 1, maxRootFields: 1 });
  const document =
    '{ ...A ...B viewer { a: userId } } fragment A on Query { viewer { a: userId } } fragment B on Query { viewer { a: userId } }';
  expect(await ask(document)).toEqual({ data: { viewer: { a: 'local' } } });
});

it('refuses too many directives on one node with one error', async () => {
  const { ask } = await bothTransports();
  for (const directive of ['@aa', '@skip(if: false)']) {
    const { errors } = await ask(`{ viewer { userId ${`${directive} `.repeat(10)} } }`);
    expect(errors).toMatchObject([
      {
        message: 'The document has 10 directives at one place: no more than 4 are allowed',
        extensions: { code: 'DOCUMENT_LIMIT_EXCEEDED' },
      },
    ]);
  }
});

it('refuses fragments that expand beyond the limit, and lets GraphQL refuse cyclic ones', async () => {
  const { ask } = await bothTransports({ maxDepth: 10_000, maxSelections: 10_000 });
  const doubled = times(
    200,
    (n) => `fragment F${n} on Message { parent { ...F${n + 1} } latestLeaf { ...F${n + 1} } }`,
  );
  const { errors } = await ask(`{ message(id: "m") { ...F0 } } ${doubled} fragment F200 on Message { id }`);
  expect(errors).toMatchObject([
    {
      message: expect.stringMatching(/^The document selects more than 10000 fields, /) as unknown,
      extensions: { code: 'DOCUMENT_LIMIT_EXCEEDED' },
    },
  ]);
  const circle =
    '{ message(id: "m") { ...A } } fragment A on Message { parent { ...B } } fragment B on Message { ...A }';
  expect((await ask(circle)).errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
});

it('refuses a fragment that contains itself under the name of another', async () => {
  const { ask } = await bothTransports();
  const { errors } = await ask(
    '{ message(id: "m") { ...A } } fragment A on Message { id } fragment A on Message { parent { ...A } }',
  );
  expect(errors).toMatchObject([
    { message: 'There can be only one fragment named "A".', extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
  ]);
});

it('checks unused fragments', async () => {
  const { ask } = await bothTransports();
  expect((await ask(`{ __typename } fragment A on Viewer { ${'__typename '.repeat(500)} }`)).errors).toMatchObject([
    { message: 'The document has 500 selections of one object: no more than 300 are allowed' },
  ]);
});

it.each<[what: string, excesses: number, document: string, limits?: Partial<Limits>]>([
  ['each operation alone', 0, `query A ${rootFields(30)} query B ${rootFields(30)}`],
  ['a used fragment at its place', 0, `{ viewer { ...A } } fragment A on Viewer ${rootFields(40)}`],
  ['no levels of introspection', 0, `{ __schema { types { ${'ofType { '.repeat(25)} name ${'}'.repeat(25)} } } }`],
  [
    'no lists of introspection',
    0,
    `{ __type(name: "Chat") { ${'fields { type { '.repeat(7)} name ${'} }'.repeat(7)} } }`,
  ],
  ['no lists of scalars', 0, '{ viewer { accessTokens { edges { node { scopes } } } } }', { maxListDepth: 1 }],
  ['an alias of merged fields', 1, '{ viewer { userId userId: userId } }', { maxAliases: 0 }],
])('counts %s', (_, excesses, document, limits) => {
  expect(checkDocument(schema, parse(document), { ...DEFAULT_LIMITS, ...limits })).toHaveLength(excesses);
});

it.each([
  [
    'maxDocumentLength',
    (length: number) => '{ __typename }'.padEnd(length, '#'),
    /^Syntax Error: Document is 101 characters long, and no more than 100 are allowed/,
  ],
  [
    'maxTokens',
    (count: number) => `{ ${'__typename '.repeat(count - 2)} }`,
    /^Syntax Error: Document contains more that 100 tokens/,
  ],
] as const)('%s is refused one above its bound, as a syntax error', async (limit, document, message) => {
  const { ask, status } = await bothTransports({ [limit]: 100 });
  expect(await ask(document(100))).toEqual({ data: { __typename: 'Query' } });
  expect((await ask(document(101))).errors).toMatchObject([
    { message: expect.stringMatching(message) as unknown, extensions: { code: 'GRAPHQL_PARSE_FAILED' } },
  ]);
  expect(await status(document(101))).toBe(400);
});

it.each(['{}', '[]', '()'])('brackets %s are refused beyond 300 levels, not beyond 300 pairs', async (pair) => {
  const { ask } = await bothTransports();
  const messageOf = async (brackets: string) => (await ask(`{ ${brackets}`)).errors?.[0]?.message;
  const refusal = 'Syntax Error: Document nests deeper than 300 levels.';
  expect(await messageOf(pair[0]!.repeat(300))).toBe(refusal);
  for (const brackets of [pair[0]!.repeat(299), pair.repeat(301)]) {
    expect(await messageOf(brackets)).not.toBe(refusal);
  }
});

it('accepts usual documents: ten parents, and every tab of GraphiQL', async () => {
  const { ask } = await bothTransports();
  expect(await ask(parents(10))).toEqual({ data: { message: null } });
  for (const { query, variables } of readGraphiqlTabs()) {
    const document = parse(query);
    expect(checkDocument(schema, document, DEFAULT_LIMITS), query).toEqual([]);
    const variableValues = JSON.parse(variables ?? '{}') as Record<string, unknown>;
    expect(estimateCost({ schema, document, variableValues })?.nodes, query).toBeLessThan(DEFAULT_LIMITS.costLimit);
  }
});
