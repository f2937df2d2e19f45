/** Long JSON in an answer is parsed with turns of the event loop in between, in which others are served. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { TooLargeError } from '../../src/conversation/errors.js';
import { fromJson } from '../../src/graphql/answers/saved-json.js';
import { Loaders } from '../../src/graphql/loading/loaders.js';
import { ContentBudget } from '../../src/limits/content-budget.js';
import { startListening } from '../support/server/listening-server.js';
import { openParley, type Parley } from '../support/server/parley.js';

/** Takes a whole turn: see WorkTurns. It has no words to index. */
const LONG_DATA = { long: 'x'.repeat(1_030_000) };

/** The event loop can run the work of a turn, and that of the next one, between two of its immediates. */
const MOST_IN_A_TURN = 2;

/** As many as are written in one go, and not by the executor. */
const MESSAGES = 24;

async function openLong(messages = MESSAGES): Promise<Parley> {
  const parley = await openParley();
  await parley.ask('mutation { createChat(input: { id: "c" }) { __typename } }');
  for (let n = 0; n < messages; n++) {
    const input = { chatId: 'c', messages: [{ name: 'user', content: { data: LONG_DATA } }] };
    await parley.ask('mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }', { input });
  }
  return parley;
}

function isLong(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'long' in value;
}

/** Maximum number of long JSON values in one turn of the event loop. */
async function mostInATurn(method: 'parse' | 'stringify', ask: () => Promise<unknown>) {
  const seen = { most: 0, all: 0 };
  let inThisTurn = 0;
  const original = JSON[method].bind(JSON) as (value: unknown) => never;
  vi.spyOn(JSON, method).mockImplementation((value: unknown) => {
    if (isLong(value) || (typeof value === 'string' && value.startsWith('{"long"'))) {
      seen.all++;
      seen.most = Math.max(seen.most, ++inThisTurn);
    }
    return original(value);
  });
  let immediate = setImmediate(function turn() {
    inThisTurn = 0;
    immediate = setImmediate(turn);
  });
  try {
    await ask();
  } finally {
    clearImmediate(immediate);
    vi.restoreAllMocks();
  }
  return seen;
}

it('data of a message, of lists and of a context is parsed once, in turns', async () => {
  const parley = await openLong();
  for (const [selection, all] of [
    ['latestLeaf { a: data b: data c: text d: text e: preview }', 1],
    ['activeBranch { chain(limit: 8) { data hasChildren } }', 8],
    // A list that is written in one go.
    ['activeBranch { chain { id text } }', MESSAGES],
    ['activeBranch { context(input: {}) { messages } }', MESSAGES],
  ] as const) {
    const seen = await mostInATurn('parse', async () => {
      expect(await parley.ask(`{ chat(id: "c") { ${selection} } }`)).not.toHaveProperty('errors');
    });
    expect([selection, seen.all]).toEqual([selection, all]);
    expect(seen.most).toBeLessThanOrEqual(MOST_IN_A_TURN);
  }
});

it('JSON that is an array is counted as one value', async () => {
  const parley = await openParley();
  await parley.ask('mutation { createChat(input: { id: "c" }) { __typename } }');
  const input = { chatId: 'c', messages: [{ name: 'user', content: { data: Array<object>(10_000).fill({}) } }] };
  await parley.ask('mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }', { input });
  const remember = vi.spyOn(WeakMap.prototype, 'set');
  onTestFinished(() => remember.mockRestore());
  const { data } = await parley.ask('{ chat(id: "c") { latestLeaf { data } } }');
  expect(data).toEqual({ chat: { latestLeaf: { data: input.messages[0]!.content.data } } });
  expect(remember.mock.calls.length).toBeLessThan(1_000);
});

it('messages that are not saved are serialized in turns', async () => {
  const parley = await openLong(1);
  const query = `query (${[1, 2, 3, 4].map((n) => `$input${n}: ContextInput!`).join(' ')}) { chat(id: "c") { activeBranch {
    ${[1, 2, 3, 4].map((n) => `c${n}: context(input: $input${n}) { systemPrompt }`).join(' ')} } } }`;
  const input = { pending: [{ name: 'user', content: { data: LONG_DATA } }] };
  const variables = Object.fromEntries([1, 2, 3, 4].map((n) => [`input${n}`, input]));
  const seen = await mostInATurn('stringify', () => parley.ask(query, variables));
  expect(seen.most).toBeLessThanOrEqual(MOST_IN_A_TURN);
});

it('large variables are parsed in one turn, and checked in another', async () => {
  const { ask } = await startListening({});
  const seen: string[] = [];
  const note = (method: 'parse' | 'stringify', isNoted: (value: unknown) => boolean) => {
    const original = JSON[method].bind(JSON) as (value: unknown) => never;
    vi.spyOn(JSON, method).mockImplementation((value: unknown) => {
      if (isNoted(value)) seen.push(method);
      return original(value);
    });
  };
  const input = { chatId: 'demo', messages: [{ name: 'user', content: { data: LONG_DATA } }] };
  const save = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
  note('parse', (value) => typeof value === 'string' && value.startsWith('{"query"') && value.includes('"long"'));
  note('stringify', isLong);
  let immediate = setImmediate(function turn() {
    if (seen.at(-1) === 'parse') seen.push('turn');
    immediate = setImmediate(turn);
  });
  onTestFinished(() => {
    clearImmediate(immediate);
    vi.restoreAllMocks();
  });
  expect(await ask(save, { input })).not.toHaveProperty('errors');
  expect(seen.slice(0, 3)).toEqual(['parse', 'turn', 'stringify']);
});

it('waiting values of a refused operation are not processed', async () => {
  const refusal = new TooLargeError('too large');
  const content = new ContentBudget(1e7);
  const context = { content, viewer: { userId: 'u', isAdmin: false }, loaders: new Loaders({} as never) };
  const json = JSON.stringify(LONG_DATA);
  const parsed = [1, 2, 3].map(() => fromJson({}, json, context, (value) => value));
  expect(() => content.refuse(refusal)).toThrow(refusal);
  const look = vi.spyOn(String.prototype, 'charCodeAt');
  onTestFinished(() => look.mockRestore());
  const rejected = { status: 'rejected', reason: refusal };
  // The first may have had its turn.
  expect((await Promise.allSettled(parsed)).slice(1)).toEqual([rejected, rejected]);
  expect(look.mock.contexts.map(String)).not.toContain(json);
});
