/** A long answer is written and sent in pieces: none is converted, or copied, as a whole. */
import { once } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { startListening } from '../support/server/listening-server.js';

/** As many as are written in one go over HTTP. */
const MESSAGES = 24;
const TEXT = 'x'.repeat(20_000);
const ALIASES = 20;

/** Characters of a piece: of 64 KiB, and the longest row. */
const MOST_CHARACTERS = 64 * 1024 + 2 * ALIASES * TEXT.length;

const PAGE = `activeBranch { messages(first: 50) { edges { node {
  ${Array.from({ length: ALIASES }, (_, n) => `a${n}: text`).join(' ')} } } } }`;

async function startWithTexts() {
  const server = await startListening({});
  await server.ask('mutation { createChat(input: { id: "c" }) { __typename } }');
  const input = {
    chatId: 'c',
    messages: Array.from({ length: MESSAGES }, () => ({ name: 'user', content: { text: TEXT } })),
  };
  await server.ask('mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }', { input });
  return server;
}

/** The longest text that becomes bytes, and the longest bytes that become a text. */
function watchConversions(): { encoded: number; decoded: number } {
  const longest = { encoded: 0, decoded: 0 };
  const from = Buffer.from.bind(Buffer) as (...given: unknown[]) => Buffer;
  vi.spyOn(Buffer, 'from').mockImplementation(((value: unknown, ...options: unknown[]) => {
    if (typeof value === 'string') longest.encoded = Math.max(longest.encoded, value.length);
    return from(value, ...options);
  }) as typeof Buffer.from);
  const toString = Reflect.get(Buffer.prototype, 'toString') as (...options: unknown[]) => string;
  vi.spyOn(Buffer.prototype, 'toString').mockImplementation(function (this: Buffer, ...options: unknown[]) {
    longest.decoded = Math.max(longest.decoded, this.length);
    return toString.apply(this, options);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  return longest;
}

it('over HTTP', async () => {
  const server = await startWithTexts();
  const longest = watchConversions();
  const { data } = await server.ask(`{ chat(id: "c") { ${PAGE} } }`);
  expect(longest.encoded).toBeLessThanOrEqual(MOST_CHARACTERS);
  const { edges } = (data as { chat: { activeBranch: { messages: { edges: { node: object }[] } } } }).chat.activeBranch
    .messages;
  expect(edges).toHaveLength(MESSAGES);
  expect(edges.at(-1)).toMatchObject({ node: { a0: TEXT, a19: TEXT } });
});

it.each([
  ['a query', `{ chat(id: "c") { ${PAGE} } }`],
  [
    'a subscription',
    `subscription { branchHead(chatId: "c") { branch { ${PAGE.replace('activeBranch {', 'chat { activeBranch {')} } } } }`,
  ],
])('over a WebSocket for %s', async (_, query) => {
  const server = await startWithTexts();
  const socket = new WebSocket(server.webSocketUrl, 'graphql-transport-ws', { perMessageDeflate: false });
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  const longest = watchConversions();
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
  const [message] = (await once(socket, 'message')) as [Uint8Array];
  expect(longest.encoded).toBeLessThanOrEqual(MOST_CHARACTERS);
  expect(longest.decoded).toBeLessThanOrEqual(MOST_CHARACTERS);
  const { id, type, payload } = JSON.parse(new TextDecoder().decode(message)) as Record<string, unknown>;
  expect({ id, type }).toEqual({ id: '1', type: 'next' });
  expect(JSON.stringify(payload).split(TEXT)).toHaveLength(MESSAGES * ALIASES + 1);
});

it('over Server-Sent Events', async () => {
  const server = await startWithTexts();
  const query = `subscription { branchHead(chatId: "c") { branch { ${PAGE.replace('activeBranch {', 'chat { activeBranch {')} } } } }`;
  const longest = watchConversions();
  const encode = vi.spyOn(TextEncoder.prototype, 'encode');
  const response = await server.post(JSON.stringify({ query }), { accept: 'text/event-stream' });
  let text = '';
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.slice(-piece.length - 3).includes('}\n\n')) break;
  }
  const [, payload] = /^(?::\n\n)*event: next\ndata: (.*)\n\n/.exec(text) ?? [];
  expect((JSON.parse(payload!) as { data: object }).data).toHaveProperty('branchHead');
  expect(payload!.split(TEXT)).toHaveLength(MESSAGES * ALIASES + 1);
  expect(Math.max(longest.encoded, longest.decoded)).toBeLessThanOrEqual(MOST_CHARACTERS);
  for (const [encoded] of encode.mock.calls) expect(encoded?.length).toBeLessThanOrEqual(MOST_CHARACTERS);
});
