/** Long JSON in an answer is parsed with turns of the event loop in between, in which others are served. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { TooLargeError } from '../../src/conversation/errors.js';
import { fromJson } from '../../src/graphql/answers/saved-json.js';
import { ContentBudget } from '../../src/limits/content-budget.js';
import { openParley, type Parley } from '../support/server/parley.js';

const LONG_TEXT = 'long '.repeat(1_000);

/** As many as are written in one go, and not by the executor. */
const MESSAGES = 24;

async function openLong(): Promise<Parley> {
  const parley = await openParley();
  const messages = Array.from({ length: MESSAGES }, () => ({ name: 'user', content: { data: LONG_TEXT } }));
  await parley.ask('mutation { createChat(input: { id: "c" }) { __typename } }');
  await parley.ask('mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }', {
    input: { chatId: 'c', messages },
  });
  return parley;
}

/** Maximum number of long JSON values in one turn of the event loop, if each takes a whole turn. */
async function mostInATurn(method: 'parse' | 'stringify', ask: () => Promise<unknown>) {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 11));
  const seen = { most: 0, all: 0 };
  let inThisTurn = 0;
  const original = JSON[method].bind(JSON) as (value: unknown) => never;
  vi.spyOn(JSON, method).mockImplementation((value: unknown) => {
    if (value === LONG_TEXT || (typeof value === 'string' && value.startsWith('"long '))) {
      seen.all++;
      seen.most = Math.max(seen.most, ++inThisTurn);
    }
    return original(value);
  });
  let immediate = setImmediate(function turn() {
    inThisTurn = 0;
    immediate = setImmediate(turn);
  });
  onTestFinished(() => {
    clearImmediate(immediate);
    vi.restoreAllMocks();
  });
  await ask();
  return seen;
}

it.each([
  ['of one message', 'latestLeaf { a: data b: data c: text d: text }', 4],
  ['of a list', 'activeBranch { chain(limit: 8) { data hasChildren } }', 8],
  ['of a list that is written in one go', 'activeBranch { chain { id text } }', MESSAGES],
  ['of a context', 'activeBranch { context(input: {}) { messages } }', MESSAGES],
])('data %s is parsed one value per turn', async (_, selection, all) => {
  const parley = await openLong();
  const seen = await mostInATurn('parse', async () => {
    expect(await parley.ask(`{ chat(id: "c") { ${selection} } }`)).not.toHaveProperty('errors');
  });
  expect(seen).toEqual({ most: 1, all });
});

it('messages that are not saved are serialized for one context per turn', async () => {
  const parley = await openLong();
  const query = `query ($input: ContextInput!) { chat(id: "c") { activeBranch {
    ${[1, 2, 3, 4].map((n) => `c${n}: context(input: $input) { systemPrompt }`).join(' ')} } } }`;
  const input = { pending: [{ name: 'user', content: { data: LONG_TEXT } }] };
  const seen = await mostInATurn('stringify', () => parley.ask(query, { input }));
  expect(seen.most).toBe(1);
});

it('waiting values of a refused operation are not processed', async () => {
  const refusal = new TooLargeError('too large');
  const content = new ContentBudget(1e6);
  const context = { content, viewer: { userId: 'u', isAdmin: false } };
  const json = JSON.stringify(LONG_TEXT);
  const parsed = [1, 2, 3].map(() => fromJson(json, context, (value) => value));
  expect(() => content.refuse(refusal)).toThrow(refusal);
  const look = vi.spyOn(String.prototype, 'charCodeAt');
  onTestFinished(() => look.mockRestore());
  const rejected = { status: 'rejected', reason: refusal };
  // The first may have had its turn.
  expect((await Promise.allSettled(parsed)).slice(1)).toEqual([rejected, rejected]);
  expect(look.mock.contexts.map(String)).not.toContain(json);
});
