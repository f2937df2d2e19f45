/** How much content an operation may read and return: at the limit, and a byte above it. */
import { setImmediate as answerIsWritten } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ContentBudget, parsedBytes } from '../../src/limits/content-budget.js';
import { OverloadedError, TooLargeError } from '../../src/conversation/errors.js';
import { Memory, type AccountBounds } from '../../src/limits/memory.js';
import { startListening } from '../support/server/listening-server.js';
import { startParley } from '../support/server/parley.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';
import { openStream } from '../support/server/event-stream.js';
import { bothTransports } from './both-transports.js';
import { WITH_DEMO } from '../features/demo/with-demo.js';

/** The size of each message of the chat "long", as JSON. */
const BYTES = 1000;
/** More than are written one by one. */
const MESSAGES = 25;
const METADATA = { note: 'm'.repeat(989) };
/** A chat that is read, and its metadata: parsed, with one brace, and in an answer. */
const CHAT = 1000;
const METADATA_BYTES = 1040 + 1000;
/** A message that is read. */
const READ = BYTES + 256;
/** Bytes of a result: an object in a list, and each of its values in addition to its text. */
const OBJECT = 192;
const VALUE = 48;
/** An object and a value that are loaded. */
const LOADED = 2048;
const LOADED_VALUE = 256;
const ID = 'long-0'.length;
/** The data of a message in an answer: a text. */
const TEXT = BYTES - 2;

const refusal = (limit: number) => ({
  message: `The operation reads and returns more than ${limit} bytes: request less data`,
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
  const input = { id: 'long', metadata: METADATA };
  expect(await ask(create, { input })).toHaveProperty('data.createChat.__typename', 'CreateChatPayload');
  // A few at a time: whether their ids are taken is read, too.
  for (let n = 0; n < MESSAGES; n += 5) {
    const saved = await ask(save, { input: { chatId: 'long', messages: messages.slice(n, n + 5) } });
    expect(saved).toHaveProperty('data.saveMessages.__typename', 'SaveMessagesPayload');
  }
}

/** For tests that only read it. */
let withLong: TemporaryDatabase;
beforeAll(async () => {
  withLong = await temporaryDatabase();
  const { parley, stop } = await startParley({ databaseUrl: withLong.url });
  await writeLong(parley.ask);
  await stop();
});
afterAll(() => withLong.remove());

const message = '{ message(id: "long-0")';
const chat = '{ chat(id: "long")';

it.each([
  ['a message, which is read with its chat', CHAT + READ + LOADED + ID, `${message} { id } }`],
  ['its data', CHAT + READ + LOADED + BYTES + TEXT, `${message} { data } }`],
  [
    'its data under two names, parsed once',
    CHAT + READ + LOADED + BYTES + 2 * TEXT,
    `${message} { data again: data } }`,
  ],
  ['its text beside its data', CHAT + READ + LOADED + BYTES + 2 * TEXT, `${message} { data text } }`],
  ['values other than text', CHAT + READ + LOADED + LOADED_VALUE, `${message} { depth hasChildren createdAt } }`],
  ['metadata', CHAT + LOADED + METADATA_BYTES, `${chat} { metadata } }`],
  [
    'a page',
    CHAT + 3 * LOADED + 10 * (READ + 2 * OBJECT + VALUE + ID),
    `${chat} { activeBranch { messages(first: 10) { edges { node { id } } } } } }`,
  ],
  [
    'a chain with its data, written one by one',
    CHAT + 2 * LOADED + MESSAGES * (READ + OBJECT + 2 * VALUE + BYTES + TEXT + LOADED_VALUE),
    `${chat} { activeBranch { chain { data hasChildren } } } }`,
  ],
  [
    'the input of a model',
    CHAT + 3 * LOADED + MESSAGES * (READ + BYTES + TEXT),
    `${chat} { activeBranch { context(input: {}) { systemPrompt messages } } } }`,
  ],
  [
    'hits of a search, by a fragment',
    LOADED + 2 * (READ + 3 * OBJECT + 2 * VALUE + 'long-24'.length),
    `query { search(query: "word", first: 2) { edges { ...Edge } } }
     fragment Edge on SearchHitEdge { node { rank ... { message { id } } } }`,
  ],
])('%s', async (_, bytes, query) => {
  const exactly = await bothTransports({ maxContentBytes: bytes }, withLong.url);
  const less = await bothTransports({ maxContentBytes: bytes - 1 }, withLong.url);
  expect(await exactly.ask(query)).not.toHaveProperty('errors');
  expect((await less.ask(query)).errors).toMatchObject([refusal(bytes - 1)]);
});

it('a list that is serialized at once counts its bytes', async () => {
  const query = `${chat} { activeBranch { chain { data } } } }`;
  const read = CHAT + 2 * LOADED + MESSAGES * READ;
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
  const { askOnce } = await bothTransports({ maxContentBytes: 20 * BYTES });
  await writeLong(askOnce);
  // Ids that are there already are looked at, for it may be the same message that is sent again.
  const messages = Array.from({ length: 20 }, (_, n) => `{ id: "long-${n}", name: "user", content: { text: "x" } }`);
  const save = `mutation { saveMessages(input: { chatId: "long", messages: [${messages.join(' ')}] }) { __typename } }`;
  expect((await askOnce(save)).errors).toMatchObject([refusal(20 * BYTES)]);
  expect(await askOnce(`${chat} { version } }`)).toEqual({ data: { chat: { version: 8 } } });
});

it('each answer of a subscription has the full limit', async () => {
  const { post, ask } = await startListening({ limits: { maxContentBytes: 7 * BYTES } });
  await writeLong(ask);
  const query = 'subscription { branchHead(chatId: "long") { appended { data } } }';
  const stream = await openStream({ post }, query);
  const save = (count: number) => {
    const messages = Array.from({ length: count }, () => ({ name: 'user', content: { data: 'x'.repeat(BYTES - 2) } }));
    const document = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
    return ask(document, { input: { chatId: 'long', messages } });
  };
  for (const count of [1, 1, 1, 4, 1]) await save(count);
  // The first result has the head.
  const [, ...answers] = (await stream.take(6)) as { errors?: unknown }[];
  expect(answers.map(({ errors }) => errors)).toEqual([
    undefined,
    undefined,
    undefined,
    [expect.objectContaining(refusal(7 * BYTES))],
    undefined,
  ]);
});

it('bytes of the request count, too', async () => {
  const { ask } = await bothTransports({ maxContentBytes: 30_000 });
  const context = 'activeBranch { context(input: { pending: $pending }) { messages } }';
  const query = (count: number) =>
    `query ($pending: [MessageInput!]!) { chat(id: "demo") { ${Array.from({ length: count }, (_, n) => `c${n}: ${context}`).join(' ')} } }`;
  const pending = [{ name: 'user', content: { data: 'x'.repeat(8_000) } }];
  expect(await ask(query(1), { pending })).not.toHaveProperty('errors');
  expect((await ask(query(3), { pending })).errors).toMatchObject([refusal(30_000)]);
});

it('data of many small values counts by its memory', async () => {
  const { askOnce } = await bothTransports({ maxContentBytes: 30_000 });
  const data = Array.from({ length: 400 }, () => []);
  const save = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
  const messages = ['dense', 'other'].map((id) => ({ id, name: 'user', content: { data } }));
  await askOnce(save, { input: { chatId: 'demo', messages } });
  const dense = 'message(id: "dense") { data }';
  expect(JSON.stringify(data).length).toBeLessThan(1500);
  expect(await askOnce(`{ ${dense} }`)).toEqual({ data: { message: { data } } });
  const both = `{ ${dense} other: message(id: "other") { data } }`;
  expect((await askOnce(both)).errors).toMatchObject([refusal(30_000)]);
});

it('metadata of a long page is read in steps, up to the limit', async () => {
  const statements: string[] = [];
  const server = await startListening({
    limits: { maxContentBytes: 1024 ** 2 },
    onStatement: (sql) => statements.push(sql),
  });
  const metadata = { note: 'm'.repeat(65_000) };
  for (let n = 0; n < 40; n++) {
    await server.ask('mutation ($metadata: JSON) { createChat(input: { metadata: $metadata }) { __typename } }', {
      metadata,
    });
  }
  const page = async (first: number) => {
    statements.length = 0;
    const answer = await server.ask(`{ chats(first: ${first}) { edges { node { id } } pageInfo { hasNextPage } } }`);
    return { answer, count: statements.filter((sql) => sql.includes('FROM chats')).length };
  };
  const short = await page(10);
  expect(short.answer).toHaveProperty('data.chats.edges.9.node.id');
  expect(short.answer).toHaveProperty('data.chats.pageInfo.hasNextPage', true);
  // Two chats fill an eighth of the limit.
  expect(short.count).toBe(6);
  const long = await page(40);
  expect(long.answer.errors).toMatchObject([refusal(1024 ** 2)]);
  expect(long.count).toBeLessThan(10);
});

it('a change with too large an answer reports that it was written', async () => {
  const { askOnce } = await bothTransports({ maxContentBytes: 20 * BYTES });
  await writeLong(askOnce);
  const save = (field: string) => `mutation {
    saveMessages(input: { chatId: "long", messages: [{ name: "user", content: { text: "x" } }] }) {
      ... on SaveMessagesPayload { ${field} }
    }
  }`;
  const { errors } = await askOnce(save('branch { chain { data } }'));
  expect(errors).toMatchObject([{ extensions: { code: 'TOO_LARGE', hasWritten: true } }]);
  expect(await askOnce(`${chat} { version } }`)).toEqual({ data: { chat: { version: 9 } } });
});

it('fields next to a refused field fail without logs', async () => {
  // Enough to read all of it, and not to return it.
  const limit = 600 * BYTES;
  const server = await startListening({ limits: { maxContentBytes: limit } });
  await writeLong(server.ask);
  // Vitest reports unhandled rejections; Node ends the process.
  const { errors } = await server.ask(`${chat} { activeBranch { chain { chain(limit: 30) { id text nodeId } } } } }`);
  expect(errors).toMatchObject([refusal(limit)]);
  expect(await server.ask('{ viewer { userId } }')).toEqual({ data: { viewer: { userId: 'local' } } });
  expect(server.unexpectedErrors.size).toBe(0);
});

it('nothing is read for an ended operation with pending loads', async () => {
  const statements: string[] = [];
  const server = await startListening({ ...WITH_DEMO, onStatement: (sql) => statements.push(sql) });
  statements.length = 0;
  const failing = 'bad: activeBranch { messages(after: "none") { totalCount } }';
  const slow = `slow: latestLeaf { ${'parent { '.repeat(3)} chain { id } ${'}'.repeat(3)} }`;
  for (const fields of [`${failing} ${slow}`, `${slow} ${failing}`]) {
    const { errors } = await server.ask(`{ chat(id: "demo") { ${fields} } }`);
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    for (let n = 0; n < 5; n++) await server.ask('{ chats { totalCount } }');
  }
  expect(statements.filter((sql) => sql.includes('message_runs r'))).toEqual([]);
  expect(server.unexpectedErrors.size).toBe(0);
});

describe('when all operations together have too much', () => {
  const bounds = (ofAll: number, ofAUser = ofAll) => ({ ofAUser, ofAll, spared: ofAll / 256 });
  const memoryOf = (content: AccountBounds) => new Memory({ content, bodies: content, variables: content });

  it('a user far beyond the limit is refused and releases memory; others continue', () => {
    const memory = memoryOf(bounds(25_600));
    const budget = (userId: string) => new ContentBudget(25_600, memory.hold('content', userId));
    const first = budget('one');
    first.take(25_600);
    const small = budget('two');
    small.take(100);
    const second = budget('three');
    expect(() => second.take(101)).toThrow(OverloadedError);
    expect(() => second.take(1)).toThrow(OverloadedError);
    expect(memory.held('content')).toBe(25_700);
    first.check();
    small.check();
  });

  it('a user at the limit leaves memory for others', () => {
    const memory = memoryOf(bounds(25_600, 12_800));
    const budget = (userId: string) => new ContentBudget(12_800, memory.hold('content', userId));
    budget('one').take(12_800);
    expect(() => budget('one').take(101)).toThrow('This user has too many large running answers');
    budget('two').take(12_800);
    expect(memory.held('content', 'one')).toBe(12_800);
  });

  it('a finished operation releases its bytes and reserves no more', async () => {
    const memory = memoryOf(bounds(1000));
    const content = new ContentBudget(500, memory.hold('content', 'one'));
    content.take(400);
    expect(() => new ContentBudget(500, memory.hold('content', 'one')).take(501)).toThrow(TooLargeError);
    expect(memory.held('content')).toBe(400);
    content.end();
    content.take(1);
    expect(memory.held('content')).toBe(400);
    await answerIsWritten();
    content.take(1);
    expect(memory.held('content')).toBe(0);
    expect(memory.held('content', 'one')).toBe(0);
  });

  it('a refused operation releases its bytes at once, and keeps the first reason', () => {
    const memory = memoryOf(bounds(1000));
    const budget = () => new ContentBudget(500, memory.hold('content', 'one'));
    const content = budget();
    content.take(400);
    expect(() => content.take(101)).toThrow(TooLargeError);
    const other = budget();
    const refused = vi.fn();
    other.onRefusal = refused;
    other.take(400);
    const reason = new TooLargeError('another limit');
    for (const each of [reason, new TooLargeError('a later one')]) expect(() => other.refuse(each)).toThrow(reason);
    expect(memory.held('content')).toBe(0);
    expect(refused).toHaveBeenCalled();
  });

  it('the elements of JSON count besides its text', () => {
    expect(parsedBytes('[[],{}]')).toBe(7 + 3 * 40 + 8);
  });
});
