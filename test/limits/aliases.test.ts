/** Aliases and fragments repeat fields of an answer: the server derives each value once, and counts it at each place. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { startWithShares, type ShareServer } from '../shares/share-server.js';

const MESSAGES = 12;
const TEXT = 'x'.repeat(20_000);
const ALIASES = 45;

/** A share of a path of large messages. */
async function startWithLargeMessages(limits: object = {}): Promise<Omit<ShareServer, 'token'> & { token: string }> {
  const server = await startWithShares({ limits });
  const data = { role: 'user', parts: [{ type: 'text', text: TEXT }] };
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
