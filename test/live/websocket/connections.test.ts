/** Uncommon uses of connections. */
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { startListening } from '../../support/server/listening-server.js';
import { connectWebSocket } from '../../support/server/raw-websocket.js';

const HOUR_MS = 3_600_000;

it('a request that offers another protocol is answered over HTTP/1.1, and so is the next one', async () => {
  const { url } = await startListening();
  // Both requests use one connection.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  const sockets = new Set<unknown>();
  for (const size of [1, 100_000, ...new Array<number>(12).fill(1)]) {
    const query = `{ viewer { userId } } #${'x'.repeat(size > 1 ? 60_000 : 0)}`;
    const body = JSON.stringify({ query, variables: { filler: 'x'.repeat(size) } });
    const sent = request(url, {
      method: 'POST',
      agent,
      headers: {
        'content-type': 'application/json',
        'content-length': body.length,
        connection: 'Upgrade, HTTP2-Settings',
        upgrade: 'h2c',
        'http2-settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
      },
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(JSON.parse(await text(response))).toEqual({ data: { viewer: { userId: 'local' } } });
    sockets.add(sent.socket);
  }
  expect(sockets.size).toBe(1);
  expect(warnings).toEqual([]);
});

it('a connection without requests does not delay a stop', async () => {
  const server = await startListening({ shutdownTimeoutMs: HOUR_MS });
  const { hostname, port } = new URL(server.url);
  const unused = connect(Number(port), hostname);
  await once(unused, 'connect');
  // The server has accepted the unused connection: a later request has a response.
  await server.ask('{ viewer { userId } }');
  const closed = once(unused, 'close');
  await server.stop();
  await closed;
});

it('a slow reader of a long response that still sends pongs stays connected', async () => {
  const LENGTH = 900_000;
  const { webSocketUrl, ask } = await startListening({ socketBufferBytes: 1024 });
  await ask('mutation { createChat(input: { id: "c" }) { __typename } }');
  for (let n = 0; n < 12; n++) {
    const input = { chatId: 'c', messages: [{ name: 'user', content: { text: 'x'.repeat(LENGTH) } }] };
    await ask('mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }', { input });
  }
  const { socket, subscribe, send, take } = await connectWebSocket(webSocketUrl);
  socket.pause();
  subscribe('long', '{ chat(id: "c") { activeBranch { chain { text } } } }');
  // The server answers pings in order.
  for (let n = 0; n < 20; n++) send({ type: 'ping', payload: { n } });
  await ask('{ chat(id: "c") { activeBranch { chain { text } } } }');
  socket.resume();
  const { payload } = await take('long');
  expect(JSON.stringify(payload).length).toBeGreaterThan(12 * LENGTH);
  expect(await take('long')).toEqual({ id: 'long', type: 'complete' });
});

it('a client that requests pongs without reading them is disconnected', async () => {
  const { webSocketUrl } = await startListening({ socketBufferBytes: 1024 });
  const { socket, send, closed } = await connectWebSocket(webSocketUrl);
  socket.pause();
  for (let n = 0; n < 60; n++) send({ type: 'ping', payload: { filler: 'x'.repeat(500_000) } });
  // The pings are longer than all buffers of the connection, so the server has written pongs that the client does not read.
  await expect.poll(() => socket.bufferedAmount).toBe(0);
  socket.resume();
  expect(await closed).toMatchObject({ code: 4413 });
});

it.each([
  'subscription { chatEvents(chatId: "demo") @skip(if: true) { seq } }',
  'subscription ($if: Boolean = false) { chatEvents(chatId: "demo") @include(if: $if) { seq } }',
  'subscription { ... @skip(if: true) { chatEvents(chatId: "demo") { seq } } }',
  'subscription { ...F } fragment F on Subscription { ...G @skip(if: true) } fragment G on Subscription { chatEvents(chatId: "demo") { seq } }',
])('%s is refused, over HTTP and WebSocket', async (query) => {
  const { webSocketUrl, ask, unexpectedErrors } = await startListening({ demo: true });
  const expected = [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }];
  expect(await ask(query)).toMatchObject({ errors: expected });
  const socket = await connectWebSocket(webSocketUrl);
  expect(await socket.ask('1', query)).toMatchObject({ refused: expected });
  expect(unexpectedErrors).toEqual(new Map());
});
