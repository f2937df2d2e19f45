/** The rules of the graphql-transport-ws protocol for a server, and the close codes of sockets. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startListening } from '../../support/server/listening-server.js';
import { connectWebSocket, openWebSocket, type RawWebSocket } from '../../support/server/raw-websocket.js';

const VIEWER = '{ viewer { userId } }';
const SAVE = `mutation {
  saveMessages(input: { chatId: "demo", messages: [{ name: "user", content: { text: "x" } }] }) { __typename }
}`;
const HEAD_OF_DEMO = 'subscription { branchHead(chatId: "demo") { seq } }';
const FOLLOW_DEMO = 'subscription { chatEvents(chatId: "demo") { seq } }';

/** Waits until the server has processed all earlier messages. */
async function caughtUp({ send, take }: RawWebSocket): Promise<void> {
  send({ type: 'ping' });
  while ((await take()).type !== 'pong');
}

describe('an id', () => {
  it('may be reused immediately after its operation was completed', async () => {
    const { webSocketUrl, ask } = await startListening({ demo: true });
    const client = await connectWebSocket(webSocketUrl);
    client.subscribe('1', HEAD_OF_DEMO);
    await client.take('1');
    // Send both in one packet.
    const { _socket: connection } = client.socket as unknown as { _socket: Socket };
    connection.cork();
    client.send({ type: 'complete', id: '1' });
    client.subscribe('1', HEAD_OF_DEMO.replace('branchHead', 'again: branchHead'));
    connection.uncork();
    expect(await client.take('1')).toMatchObject({ payload: { data: { again: {} } } });
    await ask(SAVE);
    expect(await client.take('1')).toMatchObject({ type: 'next', payload: { data: { again: {} } } });
  });
});

describe('a socket is closed', () => {
  it('with 4401 for an operation before the acknowledgement', async () => {
    const { webSocketUrl } = await startListening();
    const { subscribe, closed } = await openWebSocket(webSocketUrl);
    subscribe('1', VIEWER);
    expect(await closed).toEqual({ code: 4401, reason: 'Unauthorized' });
  });

  it('with 4429 for a second connection_init', async () => {
    const { webSocketUrl } = await startListening();
    const { send, closed } = await connectWebSocket(webSocketUrl);
    send({ type: 'connection_init' });
    expect((await closed).code).toBe(4429);
  });

  it('with 4408 without a connection_init within ten seconds', async () => {
    const { webSocketUrl } = await startListening();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const introduced = await connectWebSocket(webSocketUrl);
    const silent = await openWebSocket(webSocketUrl);
    await caughtUp(silent);
    vi.advanceTimersByTime(9_999);
    await caughtUp(silent);
    vi.advanceTimersByTime(1);
    expect((await silent.closed).code).toBe(4408);
    await caughtUp(introduced);
  });

  it.each([
    ['short', '1'],
    ['longer than the maximum of a close reason', 'é'.repeat(70)],
  ])('with 4409 when the id of a running operation is reused, %s', async (_how, id) => {
    const { webSocketUrl, unexpectedErrors } = await startListening({ demo: true });
    const { subscribe, closed } = await connectWebSocket(webSocketUrl);
    subscribe(id, FOLLOW_DEMO);
    subscribe(id, VIEWER);
    expect((await closed).code).toBe(4409);
    expect(unexpectedErrors.size).toBe(0);
  });

  it.each([
    ['no JSON', 'hello'],
    ['nothing', ''],
    ['no object', '[]'],
    ['null', 'null'],
    ['of no type', '{}'],
    ['of an unknown type', '{"type":"start"}'],
    ['of an older protocol', '{"type":"connection_terminate"}'],
    ['for clients', '{"type":"connection_ack"}'],
    ['a result', '{"type":"next","id":"1","payload":{"data":null}}'],
    ['an operation without an id', `{"type":"subscribe","payload":{"query":"${VIEWER}"}}`],
    ['an operation with an empty id', `{"type":"subscribe","id":"","payload":{"query":"${VIEWER}"}}`],
    ['an operation without a document', '{"type":"subscribe","id":"1","payload":{}}'],
    [
      'an operation whose variables are a list',
      '{"type":"subscribe","id":"1","payload":{"query":"{a}","variables":[]}}',
    ],
  ])('with 4400 when a message is %s', async (_what, message) => {
    const { webSocketUrl, unexpectedErrors } = await startListening();
    const { send, closed } = await connectWebSocket(webSocketUrl);
    send(message);
    expect((await closed).code).toBe(4400);
    expect(unexpectedErrors.size).toBe(0);
  });

  it('without running the messages after the invalid one', async () => {
    const server = await startListening();
    const { send, subscribe, closed } = await connectWebSocket(server.webSocketUrl);
    send('hello');
    subscribe('1', 'mutation { createChat(input: { id: "late" }) { __typename } }');
    await closed;
    expect(await server.ask('{ chat(id: "late") { id } }')).toEqual({ data: { chat: null } });
  });

  it('with 1009 for a message of more than 1 MiB, and not before', async () => {
    const { webSocketUrl } = await startListening();
    const { socket, send, take, closed } = await connectWebSocket(webSocketUrl);
    const ping = '{"type":"ping"}';
    send(ping.padEnd(1024 * 1024));
    expect(await take()).toEqual({ type: 'pong' });
    // In two frames: neither exceeds the limit alone.
    socket.send(ping.padEnd(512 * 1024), { fin: false });
    socket.send(''.padEnd(512 * 1024 + 1), { fin: true });
    expect((await closed).code).toBe(1009);
  });

  it('with 1007 for a message with invalid UTF-8', async () => {
    const { webSocketUrl } = await startListening();
    const { socket, closed } = await connectWebSocket(webSocketUrl);
    socket.send(Buffer.from([0x7b, 0xc3, 0x28, 0x7d]), { binary: false });
    expect((await closed).code).toBe(1007);
  });

  it('with 1000 after the idle time without running operations', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await startListening({ demo: true, socketIdleTimeoutMs: 250 });
    const following = await connectWebSocket(server.webSocketUrl);
    following.subscribe('1', FOLLOW_DEMO);
    await caughtUp(following);
    const idle = await connectWebSocket(server.webSocketUrl);
    // The server checks both sockets equally often.
    vi.advanceTimersByTime(501);
    expect(await idle.closed).toEqual({ code: 1000, reason: 'Idle' });
    expect(await following.ask('2', VIEWER)).toEqual({ data: { viewer: { userId: 'local' } } });
    following.send({ type: 'complete', id: '1' });
    await caughtUp(following);
    vi.advanceTimersByTime(501);
    expect((await following.closed).code).toBe(1000);
  });
});

describe('a ping', () => {
  it('of the protocol is answered at any time, with its payload', async () => {
    const { webSocketUrl } = await startListening();
    const { send, take } = await openWebSocket(webSocketUrl);
    send({ type: 'ping' });
    expect(await take()).toEqual({ type: 'pong' });
    send({ type: 'ping', payload: { n: 1 } });
    expect(await take()).toEqual({ type: 'pong', payload: { n: 1 } });
    send({ type: 'pong' });
    send({ type: 'connection_init' });
    expect(await take()).toEqual({ type: 'connection_ack' });
  });

  it('is sent to every socket every twelve seconds, and a silent socket is disconnected after a minute', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { webSocketUrl } = await startListening();
    const dead = await connectWebSocket(webSocketUrl, { autoPong: false });
    const silent = await openWebSocket(webSocketUrl);
    const exchange = await connectWebSocket(webSocketUrl, { autoPong: false });
    for (let round = 1; round <= 6; round++) {
      const pinged = Promise.all([silent, exchange].map(({ socket }) => once(socket, 'ping')));
      vi.advanceTimersByTime(12_000);
      await pinged;
      // Any message proves that the client is connected.
      await Promise.all([caughtUp(silent), caughtUp(exchange)]);
    }
    // There was no close frame.
    expect(await dead.closed).toEqual({ code: 1006, reason: '' });
  });
});
