/** Clients that do not read their responses, disconnect early, or connect at the wrong moment. */
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DatabaseUnavailableError } from '../../../src/conversation/errors.js';
import { Feeds } from '../../../src/events/feeds.js';
import { startListening, type ListeningServer } from '../../support/server/listening-server.js';
import { holdDatabase } from '../../support/database/raw-database.js';
import { connectWebSocket, type RawWebSocket } from '../../support/server/raw-websocket.js';

const FOLLOW = 'subscription { chatEvents(chatId: "demo") { seq } }';
const REWIND = 'mutation { rewind(input: { chatId: "demo", at: { message: "demo-answer" } }) { __typename } }';
const HOUR_MS = 3_600_000;

/** A chat of `length` characters. The system buffers up to ten million for a connection. */
const LONG_QUERY = '{ chat(id: "long") { activeBranch { chain { text } } } }';
async function withLongChat(server: ListeningServer, length: number): Promise<void> {
  await server.ask('mutation { createChat(input: { id: "long" }) { __typename } }');
  for (let n = 0; n < 12; n++) {
    const input = { chatId: 'long', messages: [{ name: 'user', content: { text: 'x'.repeat(length / 12) } }] };
    await server.ask('mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }', { input });
  }
}

const stream = ({ post }: ListeningServer) => post(JSON.stringify({ query: FOLLOW }), { accept: 'text/event-stream' });

const expectNoFollowers = (server: ListeningServer) => expect.poll(() => server.followers()).toBe(0);

/** Blocks new followers of a chat until the release. */
function holdJoins(): { isHeld: Promise<void>; release: () => void } {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const join = Reflect.get(Feeds.prototype, 'join');
  let held = () => {};
  const isHeld = new Promise<void>((resolve) => (held = resolve));
  const spy = vi.spyOn(Feeds.prototype, 'join').mockImplementation(async function (this: Feeds, chatId) {
    held();
    await released;
    return join.call(this, chatId);
  });
  onTestFinished(() => spy.mockRestore());
  return { isHeld, release };
}

describe('a client over WebSocket', () => {
  it('that starts, completes and restarts operations has no more than 100 of them running', async () => {
    const server = await startListening({ demo: true });
    const holder = await holdDatabase(server.databaseUrl);
    const { subscribe, send, take } = await connectWebSocket(server.webSocketUrl);
    for (const batch of ['a', 'b']) {
      for (let n = 0; n < 90; n++) subscribe(`${batch}${n}`, REWIND);
      for (let n = 0; n < 90 && batch === 'a'; n++) send({ type: 'complete', id: `${batch}${n}` });
    }
    // A started mutation finishes without its client: these count as running while they wait for the lock.
    for (let n = 10; n < 90; n++) expect(await take(`b${n}`)).toMatchObject({ type: 'error' });
    await holder.release();
    for (let n = 0; n < 10; n++) expect(await take(`b${n}`)).toMatchObject({ type: 'next' });
  });

  it('that has much to read is not disconnected as unresponsive', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await startListening();
    await withLongChat(server, 10_800_000);
    const { socket, subscribe, take } = await connectWebSocket(server.webSocketUrl);
    socket.pause();
    subscribe('1', LONG_QUERY);
    await server.ask(LONG_QUERY);
    for (let n = 0; n < 10; n++) {
      vi.advanceTimersByTime(12_000);
      await server.ask('{ viewer { userId } }');
    }
    socket.resume();
    expect(await take('1')).toMatchObject({ type: 'next' });
    expect(await take('1')).toMatchObject({ type: 'complete' });
  });

  it('that reuses the id of a running operation is closed, and its subscriptions end', async () => {
    const server = await startListening({ demo: true });
    const { isHeld, release } = holdJoins();
    const { subscribe, send, closed } = await connectWebSocket(server.webSocketUrl);
    subscribe('1', FOLLOW);
    send({ type: 'complete', id: '1' });
    subscribe('1', FOLLOW);
    expect(await closed).toMatchObject({ code: 4409 });
    await isHeld;
    release();
    await expectNoFollowers(server);
  });

  it.each<[string, (client: RawWebSocket) => void]>([
    ['pings', ({ socket }) => socket.ping()],
    ['pings of the protocol', ({ send }) => send({ type: 'ping' })],
    ['unsolicited pongs', ({ socket }) => socket.pong()],
    ['completions of unknown operations', ({ send }) => send({ type: 'complete', id: 'none' })],
  ])('that sends nothing but %s is closed', async (_, send) => {
    // The limit is per ten seconds.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await startListening();
    const client = await connectWebSocket(server.webSocketUrl);
    for (let n = 0; n < 200; n++) send(client);
    expect(await client.closed).toEqual({ code: 1008, reason: 'Too many messages without an operation' });
  });

  it('may send any number of operations, each with its completion', async () => {
    const server = await startListening();
    const { ask, send } = await connectWebSocket(server.webSocketUrl);
    for (let n = 0; n < 300; n++) {
      expect(await ask(`q${n}`, '{ viewer { userId } }')).toMatchObject({ data: {} });
      send({ type: 'complete', id: `q${n}` });
    }
    expect(await ask('last', '{ viewer { userId } }')).toMatchObject({ data: {} });
  });

  it('with variables of 5,000 nested levels gets an error, and keeps its socket', async () => {
    const server = await startListening({ demo: true });
    const { ask, send, take } = await connectWebSocket(server.webSocketUrl);
    const query = 'subscription ($id: ID!) { chatEvents(chatId: $id) { seq } }';
    const variables = `{ "id": ${'['.repeat(5_000)}${']'.repeat(5_000)} }`;
    send(
      `{ "type": "subscribe", "id": "1", "payload": { "query": ${JSON.stringify(query)}, "variables": ${variables} } }`,
    );
    expect(await take('1')).toMatchObject({ payload: { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] } });
    expect(await ask('2', '{ viewer { userId } }')).toMatchObject({ data: {} });
    expect(server.unexpectedErrors).toEqual(new Map());
  });
});

describe('a client over HTTP', () => {
  it.each(['application/json', 'multipart/mixed', 'application/graphql-response+json', 'text/html'])(
    'that starts a subscription and accepts %s follows nothing after its response',
    async (accept) => {
      const server = await startListening({ demo: true });
      const headers = { 'content-type': 'application/json', accept };
      const controller = new AbortController();
      const { status } = await fetch(server.url, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query: FOLLOW }),
        signal: controller.signal,
      });
      expect([200, 406]).toContain(status);
      controller.abort();
      await expectNoFollowers(server);
    },
  );

  it('that disconnects before its stream begins follows nothing', async () => {
    const server = await startListening({ demo: true });
    const { isHeld, release } = holdJoins();
    const { hostname, port, host } = new URL(server.url);
    const body = JSON.stringify({ query: FOLLOW });
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /graphql HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\naccept: text/event-stream\r\n` +
        `content-length: ${body.length}\r\n\r\n${body}`,
    );
    await isHeld;
    socket.destroy();
    // The server has noticed the disconnect, too.
    await server.ask('{ viewer { userId } }');
    release();
    await server.ask('{ viewer { userId } }');
    await expectNoFollowers(server);
  });

  it('that starts a subscription during a stop does not delay the stop', async () => {
    const server = await startListening({ demo: true, shutdownTimeoutMs: HOUR_MS });
    const { isHeld, release } = holdJoins();
    const streaming = stream(server).then((response) => response.text());
    const broken = expect(streaming).rejects.toThrow();
    await isHeld;
    const stopped = server.stop();
    release();
    await broken;
    await stopped;
  });
});

describe('a client that starts a subscription while the database is unavailable', () => {
  const failJoins = () => {
    const spy = vi.spyOn(Feeds.prototype, 'join').mockRejectedValue(new DatabaseUnavailableError('unavailable'));
    onTestFinished(() => spy.mockRestore());
  };

  it('has its socket closed with 1013, so that it reconnects later', async () => {
    const { webSocketUrl } = await startListening({ demo: true });
    const { subscribe, closed } = await connectWebSocket(webSocketUrl);
    failJoins();
    subscribe('1', FOLLOW);
    expect(await closed).toMatchObject({ code: 1013 });
  });

  it('has its stream broken off without an end, so that it reconnects later', async () => {
    const server = await startListening({ demo: true });
    failJoins();
    await expect(stream(server).then((answer) => answer.text())).rejects.toThrow();
  });
});
