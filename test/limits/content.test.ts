/** How much content an operation may read and return: at the limit, and a byte above it. */
import { describe, expect, it } from 'vitest';
import { ContentBudget, ContentInUse } from '../../src/conversation/content-budget.js';
import { OverloadedError, TooLargeError } from '../../src/conversation/errors.js';
import { startListening } from '../support/listening-server.js';
import { openStream } from '../support/event-stream.js';
import { bothTransports } from './both-transports.js';

/** Of each message of the chat "long", as JSON. */
const BYTES = 1000;
/** More than are written one by one. */
const MESSAGES = 25;
const METADATA = JSON.stringify({ note: 'm'.repeat(989) });

const refusal = (limit: number) => ({
  message: `The operation reads and returns more than ${limit} bytes of content: ask for less`,
  extensions: { code: 'TOO_LARGE' },
});

type Ask = (query: string, variables?: Record<string, unknown>) => Promise<{ data?: unknown }>;

/** The chat "long", with so many messages and some metadata. */
async function writeLong(ask: Ask): Promise<void> {
  const create = 'mutation ($input: CreateChatInput!) { createChat(input: $input) { __typename } }';
  const save = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
  const messages = Array.from({ length: MESSAGES }, (_, n) => ({
    id: `long-${n}`,
    name: 'user',
    content: { data: `word ${'x'.repeat(BYTES - 7)}` },
  }));
  const input = { id: 'long', metadata: JSON.parse(METADATA) as unknown };
  expect(await ask(create, { input })).toHaveProperty('data.createChat.__typename', 'CreateChatPayload');
  const saved = await ask(save, { input: { chatId: 'long', messages } });
  expect(saved).toHaveProperty('data.saveMessages.__typename', 'SaveMessagesPayload');
}

const message = '{ message(id: "long-0")';
const chat = '{ chat(id: "long")';

it.each([
  ['a message, whose data is read with its chat', METADATA.length + BYTES, `${message} { id } }`],
  ['its data', METADATA.length + 2 * BYTES, `${message} { data } }`],
  ['its data under two names', METADATA.length + 3 * BYTES, `${message} { data again: data } }`],
  ['its text', METADATA.length + 2 * BYTES, `${message} { text } }`],
  ['metadata', 2 * METADATA.length, `${chat} { metadata } }`],
  [
    'a page',
    METADATA.length + 10 * BYTES,
    `${chat} { activeBranch { messages(first: 10) { edges { node { id } } } } } }`,
  ],
  [
    'a chain with its data, written one by one',
    METADATA.length + 2 * MESSAGES * BYTES,
    `${chat} { activeBranch { chain { data @include(if: true) } } } }`,
  ],
  [
    'what a model is called with',
    METADATA.length + 2 * MESSAGES * BYTES,
    `${chat} { activeBranch { context(input: {}) { messages } } } }`,
  ],
  ['hits of a search', 2 * BYTES, `{ search(query: "word", first: 2) { edges { node { message { id } } } } }`],
])('%s', async (_, bytes, query) => {
  const exactly = await bothTransports({ maxContentBytes: bytes });
  const less = await bothTransports({ maxContentBytes: bytes - 1 });
  for (const { askOnce } of [exactly, less]) await writeLong(askOnce);
  expect(await exactly.ask(query)).not.toHaveProperty('errors');
  expect((await less.ask(query)).errors).toMatchObject([refusal(bytes - 1)]);
});

it('a list that is written at once counts what is written of it', async () => {
  const query = `${chat} { activeBranch { chain { data } } } }`;
  const read = METADATA.length + MESSAGES * BYTES;
  const written = JSON.stringify(Array.from({ length: MESSAGES }, () => ({ data: 'x'.repeat(BYTES - 2) }))).length;
  const server = async (maxContentBytes: number) => {
    const { ask } = await startListening({ limits: { maxContentBytes } });
    await writeLong(ask);
    return ask;
  };
  const refused = await (await server(read + MESSAGES * BYTES))(query);
  expect(refused.errors).toMatchObject([refusal(read + MESSAGES * BYTES)]);
  const answered = await (await server(read + written))(query);
  expect(answered).toHaveProperty(`data.chat.activeBranch.chain.${MESSAGES - 1}.data`);
});

it('a change that would read too much is not made', async () => {
  const { askOnce } = await bothTransports({ maxContentBytes: 5 * BYTES });
  await writeLong(askOnce);
  // Ids that are there already are looked at, for it may be the same message that is sent again.
  const messages = Array.from({ length: 6 }, (_, n) => `{ id: "long-${n}", name: "user", content: { text: "x" } }`);
  const save = `mutation { saveMessages(input: { chatId: "long", messages: [${messages.join(' ')}] }) { __typename } }`;
  expect((await askOnce(save)).errors).toMatchObject([refusal(5 * BYTES)]);
  expect(await askOnce(`${chat} { version } }`)).toEqual({ data: { chat: { version: 4 } } });
});

it('each answer of a subscription has all of it', async () => {
  const { url, ask } = await startListening({ limits: { maxContentBytes: 3 * BYTES } });
  const post = (body: string, headers?: Record<string, string>) =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
  await writeLong(ask);
  const query = 'subscription { branchHead(chatId: "long") { appended { data } } }';
  const stream = await openStream({ post }, query);
  const save = (count: number) => {
    const messages = Array.from({ length: count }, () => ({ name: 'user', content: { data: 'x'.repeat(BYTES - 2) } }));
    const document = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
    return ask(document, { input: { chatId: 'long', messages } });
  };
  for (const count of [1, 1, 1, 2, 1]) await save(count);
  // The first tells where the head is.
  const [, ...answers] = (await stream.take(6)) as { errors?: unknown }[];
  expect(answers.map(({ errors }) => errors)).toEqual([
    undefined,
    undefined,
    undefined,
    [expect.objectContaining(refusal(3 * BYTES))],
    undefined,
  ]);
});

describe('when all operations together have too much', () => {
  it('those that have much themselves are refused, and others are not', () => {
    const inUse = new ContentInUse(25_600);
    const large = new ContentBudget(25_600, inUse);
    large.take(25_600);
    const small = new ContentBudget(25_600, inUse);
    small.take(100);
    expect(() => small.take(1)).toThrow(OverloadedError);
    expect(() => large.check()).toThrow(OverloadedError);
    large.end();
    small.check();
    expect(inUse.held).toBe(101);
  });

  it('an operation that is over counts no more, whatever still runs for it', () => {
    const inUse = new ContentInUse(1000);
    const content = new ContentBudget(500, inUse);
    expect(() => content.take(501)).toThrow(TooLargeError);
    content.end();
    content.take(400);
    content.end();
    expect(inUse.held).toBe(0);
  });
});
