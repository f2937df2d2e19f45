/** No operation returns more objects than its estimate. */
import fc from 'fast-check';
import { getNamedType, isLeafType, isObjectType, parse, type GraphQLField, type GraphQLObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../src/server/schema.js';
import { estimateCost } from '../../src/http/limits/cost.js';
import { assistantMessage, createChat, save, userMessage } from '../support/chats/operations.js';
import { openParley, type Parley } from '../support/server/parley.js';
import { runs } from '../support/effort.js';

/** For arguments that a field must have. */
const VALUES: Record<string, string> = { id: '"m1"', name: '"main"', query: '"m1"', nodeId: '"x"', input: '{}' };

/** Writes a selection; all random choices come from the stream, so that fast-check can repeat it. */
function selectionOf(type: GraphQLObjectType, depth: number, next: (below: number) => number): string {
  const fields = Object.values(type.getFields());
  const parts = Array.from({ length: 1 + next(2) }, () => {
    const field = fields[next(fields.length)] as GraphQLField<unknown, unknown>;
    return fieldOf(field, depth, next);
  });
  const selection = ['__typename', ...parts].join(' ');
  return next(4) === 0 ? `{ __typename ... on ${type.name} { ${selection} } }` : `{ ${selection} }`;
}

function fieldOf(field: GraphQLField<unknown, unknown>, depth: number, next: (below: number) => number): string {
  const named = getNamedType(field.type);
  const types = isLeafType(named) ? [] : isObjectType(named) ? [named] : schema.getPossibleTypes(named);
  if (depth > 5 && types.length > 0) return '__typename';
  const args = field.args.flatMap(({ name }) => {
    if (name === 'limit') return [`limit: ${next(4)}`];
    if (/^(first|last)$/.test(name)) return next(2) === 0 ? [`${name}: ${next(6)}`] : [];
    return field.name !== 'chats' && name in VALUES ? [`${name}: ${VALUES[name]}`] : [];
  });
  // Two of one name are the same then, or differ in it.
  const key = `${field.name}_${next(1_000_000)}`;
  const written = `${key}: ${field.name}${args.length === 0 ? '' : `(${args.join(' ')})`}`;
  const inner = types.map((type) =>
    types.length === 1
      ? selectionOf(type, depth + 1, next)
      : `... on ${type.name} ${selectionOf(type, depth + 1, next)}`,
  );
  return types.length > 1 ? `${written} { ${inner.join(' ')} }` : `${written} ${inner.join(' ')}`;
}

const documents = fc.infiniteStream(fc.nat(0x7fff_ffff)).map((stream) => {
  const next = (below: number) => (stream.next().value as number) % below;
  return `{ chat(id: "c") ${selectionOf(schema.getType('Chat') as GraphQLObjectType, 0, next)} }`;
});

/** Objects of an answer, apart from connections, edges and pageInfo. */
function countNodes(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + countNodes(each), 0);
  if (typeof value !== 'object' || value === null) return 0;
  const { __typename: type } = value as { __typename?: string };
  // Values of the scalar JSON have no type name.
  if (type === undefined) return 0;
  const own = /(Connection|Edge|PageInfo)$/.test(type) ? 0 : 1;
  return own + Object.values(value).reduce<number>((sum, each) => sum + countNodes(each), 0);
}

async function chatWithBranches(): Promise<Parley> {
  const none = 1_000_000;
  const parley = await openParley({
    limits: {
      maxDepth: none,
      maxListDepth: none,
      maxAliases: none,
      maxSelections: none,
      costLimit: Number.MAX_SAFE_INTEGER,
    },
  });
  await createChat(parley, 'c');
  await save(parley, { chatId: 'c', messages: [userMessage('m1'), assistantMessage('m2'), userMessage('m3')] });
  for (const content of ['another', 'a third']) {
    await save(parley, { chatId: 'c', messages: [userMessage('m2', content), userMessage(`after ${content}`)] });
  }
  await parley.ask(
    'mutation { createCheckpoint(input: { chatId: "c", name: "main", messageId: "m1" }) { __typename } }',
  );
  return parley;
}

it('it returns at most the estimated number of objects', async () => {
  const parley = await chatWithBranches();
  let most = 0;
  await fc.assert(
    fc.asyncProperty(documents, async (query) => {
      const { data, errors } = await parley.ask(query);
      // Both ends of a page, for one.
      if (data === null || errors !== undefined) return;
      const cost = estimateCost({ schema, document: parse(query) });
      const count = countNodes(data?.['chat']);
      most = Math.max(most, count);
      expect(cost?.isWhole).toBe(true);
      expect(count).toBeLessThanOrEqual(cost?.nodes ?? 0);
    }),
    { numRuns: runs(150) },
  );
  // Otherwise the answers would be meaningless.
  expect(most).toBeGreaterThan(1);
  const { data } = await parley.ask(
    '{ chat(id: "c") { __typename branches { __typename edges { __typename node { __typename chain { __typename } } } } } }',
  );
  // The chat, three branches, and their messages: three on each.
  expect(countNodes(data?.['chat'])).toBe(1 + 3 + 3 * 3);
});
