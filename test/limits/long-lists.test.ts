/** Long lists in an answer: completed when there is time for them, loaded together, and refused together. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { buildSchema, execute, parse, type ExecutionResult, type GraphQLError, type GraphQLObjectType } from 'graphql';
import { expect, it, onTestFinished, vi } from 'vitest';
import { TooLargeError } from '../../src/conversation/errors.js';
import type { ConversationReads } from '../../src/conversation/reads.js';
import type { Context } from '../../src/graphql/context.js';
import { withCounts } from '../../src/graphql/limits/counted-schema.js';
import { Loaders } from '../../src/graphql/loading/loaders.js';
import { ObjectBudget } from '../../src/graphql/limits/object-budget.js';
import { ContentBudget } from '../../src/limits/content-budget.js';
import { UNITS_PER_TURN } from '../../src/scheduler/work-turns.js';
import { writeChain } from '../support/chats/large-chats.js';
import { temporaryDatabase } from '../support/database/temporary-database.js';
import { startListening } from '../support/server/listening-server.js';
import { connectWebSocket } from '../support/server/raw-websocket.js';

/** Lists of any length, loaded in one turn of the event loop. */
const source = `
  type Query { outer(count: Int!): [Outer!]! }
  type Outer { inner(count: Int!): [Inner!]! maybe: Outer loadedOne: Inner! }
  type Inner { id: ID! loaded: Int! }
`;

interface Seen {
  /** How often an id was resolved. */
  ids: number;
  /** How many keys each batch had. */
  batches: number[];
  result: ExecutionResult;
}

type Resolver = (source: unknown, args: { count: number }, context: Context) => unknown;

async function run(
  query: string,
  { limit = Infinity, onId = () => {} }: { limit?: number; onId?: (n: number) => void },
) {
  const seen: Seen = { ids: 0, batches: [], result: {} };
  const schema = buildSchema(source);
  const resolvers: Record<string, Record<string, Resolver>> = {
    Query: { outer: (_, { count }) => Array.from({ length: count }, () => ({})) },
    Outer: {
      inner: async (_, { count }) => Array.from({ length: count }, (_, n) => ({ id: String(n) })),
      maybe: () => ({}),
      loadedOne: async (_, __, { loaders }) => ({
        id: String(await loaders.childCount.load({ chatId: 'same', parentId: null })),
      }),
    },
    Inner: {
      id: (inner) => {
        onId(seen.ids++);
        return (inner as { id: string }).id;
      },
      loaded: (_, __, { loaders }) => loaders.childCount.load({ chatId: String(seen.ids), parentId: null }),
    },
  };
  for (const [type, fields] of Object.entries(resolvers)) {
    const all = (schema.getType(type) as GraphQLObjectType).getFields();
    for (const [name, resolve] of Object.entries(fields)) all[name]!.resolve = resolve as never;
  }
  const reads = {
    childCounts: async (keys: readonly unknown[]) => {
      seen.batches.push(keys.length);
      return keys.map(() => 1);
    },
  } as unknown as ConversationReads;
  const viewer = { userId: 'u', isAdmin: false };
  const contextValue = { viewer, budget: new ObjectBudget(limit), loaders: new Loaders({ reads }) };
  const executed = execute({ schema: withCounts(schema), document: parse(query), contextValue });
  seen.result = await executed;
  return seen;
}

/** Counts ids by the turns of the event loop. */
function countingTurns(): { most: number; all: number; onId: () => void } {
  const counted = { most: 0, all: 0, onId: () => void (counted.most = Math.max(counted.most, ++inThisTurn)) };
  let inThisTurn = 0;
  let immediate = setImmediate(function turn() {
    counted.all++;
    inThisTurn = 0;
    immediate = setImmediate(turn);
  });
  onTestFinished(() => clearImmediate(immediate));
  return counted;
}

/** Units of work of an element with one field: see WorkTurns. */
const UNITS_PER_ELEMENT = 5;
/** The event loop can run the work of a turn, and that of the next one, between two of its immediates. */
const MOST_IN_A_TURN = (2 * UNITS_PER_TURN) / UNITS_PER_ELEMENT + 2;

it('other work runs while a long list is completed, and the answer is the same', async () => {
  const query = '{ outer(count: 1) { inner(count: 5000) { id } } }';
  const turns = countingTurns();
  const { result, ids } = await run(query, turns);
  expect(turns.most).toBeLessThanOrEqual(MOST_IN_A_TURN);
  expect(ids).toBe(5000);
  const inner = Array.from({ length: 5000 }, (_, n) => ({ id: String(n) }));
  expect(result).toEqual({ data: { outer: [{ inner }] } });
});

it('other work runs while many short lists of one batch are completed', async () => {
  const turns = countingTurns();
  const { ids } = await run('{ outer(count: 100) { inner(count: 50) { id } } }', turns);
  expect(turns.most).toBeLessThanOrEqual(MOST_IN_A_TURN);
  expect(ids).toBe(5000);
});

it('other work runs while objects that were loaded together are completed', async () => {
  const turns = countingTurns();
  const { ids } = await run('{ outer(count: 4000) { loadedOne { id } } }', turns);
  expect(turns.most).toBeLessThanOrEqual(MOST_IN_A_TURN);
  expect(ids).toBe(4000);
});

it('a field is resolved once for all of its aliases', async () => {
  const aliases = Array.from({ length: 40 }, (_, n) => `a${n}: maybe { inner(count: 2) { b${n}: id } }`).join(' ');
  const { ids, result } = await run(`{ outer(count: 1) { ${aliases} } }`, {});
  expect(ids).toBe(2);
  expect(result).toHaveProperty('data.outer.0.a39.inner.1.b39', '1');
});

it('fields of the elements of a long list are loaded in batches', async () => {
  const { result, batches } = await run('{ outer(count: 1) { inner(count: 5000) { id loaded } } }', {});
  expect(result).not.toHaveProperty('errors');
  expect(batches).toEqual([2000, 2000, 1000]);
});

it('values of a batch are delivered in turns, and loads that follow share a batch', async () => {
  const batches: number[] = [];
  const childCounts = async (keys: readonly unknown[]) => {
    batches.push(keys.length);
    return keys.map(() => 1);
  };
  const { childCount } = new Loaders({ reads: { childCounts } as unknown as ConversationReads });
  const turns = countingTurns();
  const load = (chatId: string) => childCount.load({ chatId, parentId: null });
  const delivered = Array.from({ length: 1000 }, async (_, n) => {
    await load(`one ${n}`);
    turns.onId();
    return load(`two ${n}`);
  });
  expect(await Promise.all(delivered)).toEqual(Array.from({ length: 1000 }, () => 1));
  expect(turns.most).toBeLessThanOrEqual(200);
  expect(batches).toEqual([1000, 1000]);
});

it('too many lists of one batch are refused before one of them is completed', async () => {
  const { result, ids } = await run('{ outer(count: 10) { maybe { inner(count: 400) { id } } } }', { limit: 2000 });
  // The first one is ahead.
  expect(ids).toBeLessThanOrEqual(400);
  const errors = new Set(result.errors);
  expect([...errors]).toMatchObject([{ extensions: { code: 'COST_LIMIT_EXCEEDED', limit: 2000 } }]);
});

it('nothing is resolved after the end of the operation', async () => {
  const content = { refusal: null, isOver: false, take: () => {}, check: () => {} };
  const schema = withCounts(buildSchema('type Query { list: [Item!]! } type Item { id: ID! }'));
  let ids = 0;
  const list = Array.from({ length: 5000 }, () => ({
    id: () => {
      if (++ids === 700) content.isOver = true;
      return 'x';
    },
  }));
  const contextValue = { viewer: { userId: 'u', isAdmin: false }, content, loaders: new Loaders({} as never) };
  void execute({ schema, document: parse('{ list { id } }'), rootValue: { list }, contextValue });
  // More than all elements need.
  for (let turn = 0; turn < 100; turn++) await nextTurn();
  expect(ids).toBe(700);
});

it('objects of a query that arrive after its refusal are not counted', async () => {
  const content = new ContentBudget(50_000, undefined, true);
  const take = vi.spyOn(content, 'take');
  const schema = withCounts(buildSchema('type Query { list: [Item!]! } type Item { one: Item id: ID! }'));
  const list = Array.from({ length: 50 }, () => ({ one: async () => ({ id: 'x' }) }));
  const contextValue = { viewer: { userId: 'u', isAdmin: false }, content, loaders: new Loaders({} as never) };
  const refused = new Promise<void>((settle) => (content.onRefusal = () => settle()));
  void execute({ schema, document: parse('{ list { one { id } } }'), rootValue: { list }, contextValue });
  await refused;
  await nextTurn();
  expect(take.mock.calls.length).toBeLessThan(list.length);
});

it('the completion of a long list stops when its operation is refused', async () => {
  let refuse: () => void = () => {};
  const content = {
    refusal: null as TooLargeError | null,
    take: () => {},
    check: () => {},
  };
  refuse = () => (content.refusal = new TooLargeError('too large'));
  const schema = withCounts(buildSchema('type Query { list: [Item!]! } type Item { id: ID! }'));
  let ids = 0;
  const list = Array.from({ length: 5000 }, () => ({
    id: () => {
      if (++ids === 700) refuse();
      return 'x';
    },
  }));
  const contextValue = { viewer: { userId: 'u', isAdmin: false }, content, loaders: new Loaders({} as never) };
  const document = parse('{ list { id } }');
  const { errors } = (await execute({ schema, document, rootValue: { list }, contextValue })) as {
    errors: readonly GraphQLError[];
  };
  expect(errors).toEqual([content.refusal]);
  expect(ids).toBeLessThanOrEqual(700 + MOST_IN_A_TURN);
});

it('a list of any length is completed in turns, without a promise of each element', async () => {
  const database = await temporaryDatabase();
  onTestFinished(() => database.remove());
  await writeChain(database.store, 'long', 12_000);
  const { ask, webSocketUrl } = await startListening({ databaseUrl: database.url });
  const socket = await connectWebSocket(webSocketUrl);
  const query = '{ chat(id: "long") { activeBranch { chain { id siblingCount } } } }';
  const turns = countingTurns();
  // Without plain lists.
  const answer = await socket.ask('1', query);
  expect(turns.all).toBeGreaterThan((12_000 * 4) / UNITS_PER_TURN);
  expect(answer).toHaveProperty('data.chat.activeBranch.chain.length', 12_000);
  expect(answer).toEqual(await ask(query));
});
