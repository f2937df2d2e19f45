/** Nested fragments, each spread twice: a few lines that select little if each fragment is visited once. */
import fc from 'fast-check';
import { getOperationAST, parse, type FieldNode, type GraphQLResolveInfo } from 'graphql';
import { expect, it } from 'vitest';
import { fragmentsOf, type Fragments } from '../../src/graphql/limits/collected-fields.js';
import { selectedBytes } from '../../src/graphql/limits/counted-schema.js';
import { Loaders } from '../../src/graphql/loading/loaders.js';
import { takeRows } from '../../src/graphql/answers/plain-lists.js';
import { schema } from '../../src/server/schema.js';
import { estimateCost } from '../../src/http/limits/cost.js';
import { checkDocument } from '../../src/http/limits/document-limits.js';
import { DEFAULT_LIMITS } from '../../src/limits/limits.js';
import { bothTransports } from './both-transports.js';

/** F0, which is so many levels of fragments, each made of the next one. */
const fragments = (levels: number, type: string, last: string, level: (next: string) => string) =>
  [
    ...Array.from({ length: levels }, (_, n) => `fragment F${n} on ${type} { ${level(`...F${n + 1}`)} }`),
    `fragment F${levels} on ${type} { ${last} }`,
  ].join(' ');

const twice = (next: string) => `${next} ${next}`;
const inline = (next: string) => `... { ${next} } ... { ${next} }`;
const merged = (next: string) => `parent { ${next} } parent { ${next} }`;

/** A list of messages, and its document; looking fragments up for ever throws. */
function listOf(document: string): { nodes: FieldNode[]; fragments: Fragments } {
  const parsed = parse(document);
  let lookups = 0;
  return {
    nodes: getOperationAST(parsed)?.selectionSet.selections as FieldNode[],
    fragments: new Proxy(fragmentsOf(parsed), {
      get(target, name) {
        if (++lookups > 1_000) throw new Error('fragments are looked up without end');
        return target[String(name)];
      },
    }),
  };
}

it.each([
  ['spread twice', twice],
  ['spread twice through inline fragments', inline],
  ['in fields that merge', merged],
])('%s at 40 levels are followed once', async (_, level) => {
  const query = `query { node(nodeId: "x") { ...F0 } } ${fragments(40, 'Message', 'id', level)}`;
  const { nodes, fragments: counted } = listOf(query);
  const depth = level === merged ? 40 : 0;
  // An object for each level, and an id.
  expect(selectedBytes({ schema, fragments: counted }, nodes)).toBe(192 * (depth + 1) + 48);

  const document = parse(query);
  expect(checkDocument(schema, document, { ...DEFAULT_LIMITS, maxDepth: 100 })).toEqual([]);
  expect(estimateCost({ schema, document })).toEqual({ nodes: depth + 1, isWhole: true });

  const rows = Array.from({ length: 20 }, () => ({ id: 'm' }));
  const list = listOf(query);
  const info = { fieldNodes: list.nodes, fragments: list.fragments, schema, returnType: schema.getType('Message') };
  const path = { prev: undefined, key: 'list', typename: undefined };
  const context = {
    viewer: { userId: 'u', isAdmin: false },
    reads: {} as never,
    loaders: new Loaders({ reads: {} as never }),
    plainLists: [],
  };
  const left = await takeRows(context, rows, { ...info, path } as unknown as GraphQLResolveInfo);
  // Selections with parents are not plain lists.
  expect(left).toEqual(level === merged ? rows : []);
});

it('lists that select them are answered', async () => {
  const { ask, askOnce } = await bothTransports();
  // As many as are written at once.
  const messages = Array.from({ length: 20 }, () => ({ name: 'user', content: { text: 'x' } }));
  const save = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
  await askOnce(save, { input: { chatId: 'demo', messages } });
  for (const [list, type, name] of [
    ['graph { branches', 'Branch', 'name'],
    ['graph { nodes', 'GraphNode', 'id'],
  ] as const) {
    const query = (selected: string) => `{ chat(id: "demo") { ${list} { ${selected} } } } }`;
    const expected = await ask(query(name));
    expect(expected).toHaveProperty('data.chat.graph');
    for (const level of [twice, inline]) {
      expect(await ask(`${query('...F0')} ${fragments(26, type, name, level)}`)).toEqual(expected);
    }
  }
});

it('repeated fragments do not increase the cost of a selection', () => {
  const names = ['A', 'B', 'C'];
  const definitions = `fragment A on Message { id ...B } fragment B on Message { parent { ...C } text }
    fragment C on Message { depth name parent { id } }`;
  const bytesOf = (spreads: readonly string[]) => {
    const { nodes, fragments: known } = listOf(`{ node { seq ${spreads.join(' ')} } } ${definitions}`);
    return selectedBytes({ schema, fragments: known }, nodes);
  };
  const repeated = fc.array(
    fc.tuple(
      fc.constantFrom(...names),
      fc.constantFrom<(name: string) => string>(
        (name) => `...${name}`,
        (name) => `... { ...${name} }`,
        (name) => `... on Message { ...${name} ...${name} }`,
      ),
    ),
    { minLength: 1, maxLength: 10 },
  );
  fc.assert(
    fc.property(repeated, (spreads) => {
      const once = names.filter((name) => spreads.some(([each]) => each === name)).map((name) => `...${name}`);
      expect(bytesOf(spreads.map(([name, write]) => write(name)))).toBe(bytesOf(once));
    }),
  );
});
