/** Aliases and fragments repeat fields of an answer: the server derives each value once, and counts it at each place. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { startWithShares, type ShareServer } from '../features/shares/share-server.js';

const MESSAGES = 12;
const TEXT = 'x'.repeat(20_000);
const ALIASES = 45;

/** A share of a path of large messages. */
async function startWithLargeMessages(
  limits: object = {},
  data: unknown = { role: 'user', parts: [{ type: 'text', text: TEXT }] },
): Promise<Omit<ShareServer, 'token'> & { token: string }> {
  const server = await startWithShares({ limits });
  await server.save(
    'one',
    Array.from({ length: MESSAGES }, () => ({ name: 'user', content: { data } })),
  );
  return { ...server, token: (await server.share()).token };
}

/** Counts the saved data that are parsed. */
function countParses(): { count: number } {
  const parses = { count: 0 };
  const parse = JSON.parse.bind(JSON);
  const spy = vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    if (typeof text === 'string' && text.startsWith('{"role"')) parses.count++;
    return parse(text, reviver) as unknown;
  });
  onTestFinished(() => spy.mockRestore());
  return parses;
}

const aliased = (count: number, field: string) => Array.from({ length: count }, (_, n) => `a${n}: ${field}`).join(' ');

/** Aliases of a field with different arguments. */
const varied = (count: number, field: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => `a${n}: ${field(n)}`).join(' ');

it.each([
  [
    'shares',
    (fields: string) => aliased(3, `shared(token: $token) { messages(first: 50) { edges { node { ${fields} } } } }`),
  ],
  [
    'pages of a share',
    (fields: string) =>
      `shared(token: $token) { ${aliased(3, `messages(first: 50) { edges { node { ${fields} } } }`)} }`,
  ],
])('a share is read and projected once for aliases of %s', async (_, shown) => {
  const { as, token, alice } = await startWithLargeMessages();
  const parses = countParses();
  const document = `query ($token: String!) { ${shown('data text ...More')} } fragment More on SharedMessage { d: data t: text }`;
  const { data, errors } = await as(alice, document, { token });
  expect(errors).toBeUndefined();
  expect(parses.count).toBe(MESSAGES);
  const { a0, a1, a2 } = (data!['shared'] ?? data!) as Record<string, unknown>;
  expect(JSON.stringify(a0)).toContain(TEXT);
  expect(a1).toEqual(a0);
  expect(a2).toEqual(a0);
});

it('a share shows messages with arrays, whose values need more memory than an operation has', async () => {
  const data = Array.from({ length: 10_000 }, () => ({}));
  const { as, token, alice } = await startWithLargeMessages({ maxContentBytes: 2 ** 20 }, data);
  const document = '{ shared(token: "TOKEN") { messages { edges { node { depth text data } } } } }';
  const { data: found, errors } = await as(alice, document.replace('TOKEN', token));
  expect(errors).toBeUndefined();
  const { edges } = (found as { shared: { messages: { edges: { node: unknown }[] } } }).shared.messages;
  expect(edges.slice(-MESSAGES).map(({ node }) => node)).toEqual(
    Array.from({ length: MESSAGES }, (_, n) => ({ depth: n + edges.length - MESSAGES, text: '', data: '' })),
  );
});

it.each([
  ['a page', 'messages(first: 50) { edges { node { FIELDS } } }'],
  [
    'a long list that is written in one piece',
    'graph { nodes { id } } messages(first: 50) { edges { node { FIELDS } } }',
  ],
  ['a chain', 'activeBranch { chain { FIELDS seq } }'],
  [
    'several lists',
    'one: messages(first: 50) { edges { node { FIELDS } } } two: messages(first: 50) { edges { node { FIELDS } } }',
  ],
  ['parents', 'messages(first: 50) { edges { node { p: parent { FIELDS } q: parent { FIELDS } } } }'],
])('the data of %s are parsed once for each message and read', async (_, selection) => {
  const { as, alice } = await startWithLargeMessages();
  const parses = countParses();
  const fields = 'a: text b: text c: preview d: preview(length: 10) ...More';
  const document = `{ chat(id: "one") { ${selection.replaceAll('FIELDS', fields)} } } fragment More on Message { e: text f: preview }`;
  expect(await as(alice, document)).not.toHaveProperty('errors');
  expect(parses.count).toBe(selection.includes('parent') ? MESSAGES - 1 : MESSAGES);
});

it('a list that the executor completes and one that is written at once have equal values', async () => {
  const { as, alice } = await startWithLargeMessages();
  const long = Array.from({ length: 20 }, (_, n) => ({ name: 'user', content: { text: `short ${n}` } }));
  await as(alice, 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }', {
    input: { chatId: 'one', messages: long },
  });
  const fields = 'a: text b: text preview c: preview';
  const page = (extra: string) => `messages(first: 50) { edges { node { ${fields} ${extra} } } }`;
  const { data } = await as(
    alice,
    `{ x: chat(id: "one") { ${page('')} } y: chat(id: "one") { ${page('hasChildren')} } }`,
  );
  const { x, y } = data as Record<'x' | 'y', { messages: { edges: { node: Record<string, unknown> }[] } }>;
  expect(x.messages.edges).toHaveLength(33);
  expect(x.messages.edges.map(({ node }) => node)).toEqual(
    y.messages.edges.map(({ node: { hasChildren: _, ...node } }) => node),
  );
});

it.each([
  [
    'an anonymous reader of a share',
    (n: number) =>
      `query ($token: String!) { shared(token: $token) { ${aliased(n, 'messages { ...Shown }')} } }
       fragment Shown on SharedMessageConnection { edges { node { data } } }`,
    false,
  ],
  [
    'a reader of a share',
    (n: number) =>
      `query ($token: String!) { shared(token: $token) { messages { edges { node { ${aliased(n, 'text')} } } } } }`,
    true,
  ],
  [
    'an owner',
    (n: number) => `{ chat(id: "one") { messages(first: 50) { edges { node { ${aliased(n, 'data')} } } } } }`,
    true,
  ],
  [
    'an owner of texts',
    (n: number) => `{ chat(id: "one") { activeBranch { chain { ${aliased(n, 'text')} seq } } } }`,
    true,
  ],
])('aliases cannot make the answer of %s larger than the limit', async (_, document, isSignedIn) => {
  const limit = 3 * 1024 ** 2;
  const { as, token, alice } = await startWithLargeMessages({ maxContentBytes: limit });
  const ask = (count: number) =>
    as(isSignedIn ? alice : {}, document(count), document(count).startsWith('query') ? { token } : {});
  expect(await ask(2)).not.toHaveProperty('errors');
  const parses = countParses();
  const message = `The operation reads and returns more than ${limit} bytes: request less data`;
  expect(await ask(ALIASES)).toMatchObject({ data: null, errors: [{ message, extensions: { code: 'TOO_LARGE' } }] });
  expect(parses.count).toBeLessThanOrEqual(MESSAGES);
});

/** Counts calls of a method of texts or lists with this argument. */
function countCalls(prototype: object, method: string, argument: string): { count: number } {
  const calls = { count: 0 };
  const original = Reflect.get(prototype, method) as (...given: unknown[]) => unknown;
  const spy = vi.spyOn(prototype as Record<string, () => unknown>, method);
  spy.mockImplementation(function (this: unknown, ...given: unknown[]) {
    if (given[0] === argument) calls.count++;
    return original.apply(this, given);
  });
  onTestFinished(() => spy.mockRestore());
  return calls;
}

it('the text of a message is made once for previews of different lengths', async () => {
  const { as, alice } = await startWithLargeMessages();
  const joins = countCalls(Array.prototype, 'join', '\n\n');
  const previews = varied(ALIASES, (n) => `preview(length: ${n + 1})`);
  const { data } = await as(alice, `{ chat(id: "one") { messages(first: 50) { edges { node { ${previews} } } } } }`);
  // Those of the large messages, and of the first one of the chat.
  expect(joins.count).toBe(MESSAGES + 1);
  const { edges } = (data as { chat: { messages: { edges: object[] } } }).chat.messages;
  expect(edges.at(-1)).toEqual({ node: expect.objectContaining({ a0: 'x', a44: 'x'.repeat(45) }) as unknown });
});

it('data are searched for files once for all aliases', async () => {
  const { as, alice } = await startWithLargeMessages();
  const input = {
    chatId: 'one',
    messages: Array.from({ length: 20 }, () => ({ name: 'user', content: { text: 'x' } })),
  };
  await as(alice, 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }', { input });
  for (const other of ['text', 'hasChildren']) {
    const searches = countCalls(String.prototype, 'includes', 'parley:file:');
    const page = `messages(first: 50) { edges { node { ${other} ${aliased(ALIASES, 'files { id }')} } } }`;
    expect(await as(alice, `{ chat(id: "one") { ${page} } }`)).not.toHaveProperty('errors');
    expect(searches.count).toBe(MESSAGES + 21);
    vi.restoreAllMocks();
  }
});

it('the tokens of a message are counted once for all contexts of an operation', async () => {
  const { as, alice, save } = await startWithShares({});
  const call = { type: 'tool-x', state: 'output-available', input: { many: 'x'.repeat(5_000) } };
  await save(
    'one',
    Array.from({ length: MESSAGES }, () => ({ name: 'user', content: { data: { role: 'user', parts: [call] } } })),
  );
  let serialized = 0;
  const stringify = JSON.stringify.bind(JSON) as (...given: unknown[]) => string;
  const spy = vi.spyOn(JSON, 'stringify').mockImplementation((value: unknown, ...options: unknown[]) => {
    if (typeof value === 'object' && value !== null && 'input' in value && 'many' in (value.input as object))
      serialized++;
    return stringify(value, ...options);
  });
  onTestFinished(() => spy.mockRestore());
  const contexts = varied(20, (n) => `context(input: { maxTokens: ${1_000_000 + n} }) { estimatedTokens }`);
  const { data } = await as(alice, `{ chat(id: "one") { activeBranch { ${contexts} } } }`);
  const tokens = (data as { chat: { activeBranch: Record<string, { estimatedTokens: number }> } }).chat.activeBranch;
  expect(tokens['a19']).toEqual(tokens['a0']);
  expect(serialized).toBe(MESSAGES);
});

it('numbers and texts of the same spelling are different arguments', async () => {
  const { as, alice } = await startWithLargeMessages();
  const context = (data: string) =>
    `context(input: { renderer: TOML, fragments: [{ name: "n", data: { a: ${data} } }] }) { systemPrompt }`;
  const values = ['5', '"5"', 'true', '"true"', 'null', '"null"', '1.5', '"1.5"', '"$0"'];
  const selected = varied(values.length, (n) => context(values[n]!));
  const { data } = await as(alice, `{ chat(id: "one") { activeBranch { ${selected} } } }`);
  const { activeBranch } = (data as { chat: { activeBranch: object } }).chat;
  for (const [n, value] of values.entries()) {
    const alone = await as(alice, `{ chat(id: "one") { activeBranch { ${context(value)} } } }`);
    expect(activeBranch).toHaveProperty(
      `a${n}`,
      (alone.data as typeof data & { chat: { activeBranch: { context: unknown } } }).chat.activeBranch.context,
    );
  }
});

it('the chunks of a draft are parsed and measured once for all aliases', async () => {
  const { as, alice } = await startWithLargeMessages();
  const write = (name: string, input: object) =>
    as(
      alice,
      `mutation ($input: ${name[0]!.toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { __typename } }`,
      { input },
    );
  await write('startDraft', { chatId: 'one', id: 'd' });
  const chunks = Array.from({ length: 100 }, (_, n) => ({ type: 'chunk', n }));
  await write('appendToDraft', { chatId: 'one', id: 'd', offset: 0, chunks });
  const seen = { parsed: 0, measured: 0 };
  const [parse, stringify] = [JSON.parse.bind(JSON), JSON.stringify.bind(JSON)] as ((...given: unknown[]) => never)[];
  vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    if (String(text).startsWith('[{"type":"chunk"')) seen.parsed++;
    return parse!(text, reviver);
  });
  vi.spyOn(JSON, 'stringify').mockImplementation((value: unknown, ...options: unknown[]) => {
    if (typeof value === 'object' && value !== null && 'type' in value && value.type === 'chunk') seen.measured++;
    return stringify!(value, ...options);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const selected = varied(ALIASES, (n) => (n % 2 === 0 ? 'text' : `chunks(limit: ${100 - n})`));
  const { data } = await as(alice, `{ chat(id: "one") { drafts { edges { node { ${selected} } } } } }`);
  expect((data as { chat: { drafts: { edges: { node: object }[] } } }).chat.drafts.edges[0]!.node).toMatchObject({
    a1: chunks.slice(0, 99),
    a43: chunks.slice(0, 57),
  });
  expect(seen).toEqual({ parsed: 1, measured: 99 });
});
