/** At a stop, the server asks followers to reconnect and answers running operations. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWebSocketClient, type Client } from 'graphql-ws';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { freePort } from '../../support/server/free-port.js';
import { startListening, type ListeningServer } from '../../support/server/listening-server.js';
import { holdDatabase } from '../../support/database/raw-database.js';
import { connectWebSocket } from '../../support/server/raw-websocket.js';
import { startServer } from '../../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

const HEAD = 'subscription { branchHead(chatId: "demo") { seq } }';
const EVENTS = 'subscription ($after: Int) { chatEvents(chatId: "demo", after: $after) { seq } }';
const SAVE = `
  mutation ($name: String!) {
    saveMessages(input: { chatId: "demo", onConflict: APPEND, messages: [{ name: $name, content: { text: "x" } }] }) {
      __typename
    }
  }
`;
const SAVED = { data: { saveMessages: { __typename: 'SaveMessagesPayload' } } };
const RESTARTING = { code: 1012, reason: 'Restarting: connect again' };
const STOPPED = { code: 0, signal: null, stderr: '' };

async function startWithDemo(settings = {}) {
  const DATABASE_URL = temporaryDatabaseUrl();
  const server = await startServer({ DATABASE_URL, DEMO: 'on', SHUTDOWN_TIMEOUT_MS: '600000', ...settings });
  return { ...server, DATABASE_URL, webSocketUrl: server.url.replace('http:', 'ws:') };
}

/** Settles when the server refuses new connections. */
async function refused(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  for (let isOpen = true; isOpen;) {
    const probe = connect(Number(port), hostname);
    isOpen = await once(probe, 'connect').then(
      () => true,
      () => false,
    );
    probe.destroy();
  }
}

describe('a process that receives SIGTERM', () => {
  it('first answers the mutation that runs on a socket, and accepts no more operations on it', async () => {
    const server = await startWithDemo();
    const socket = await connectWebSocket(server.webSocketUrl);
    const idle = await connectWebSocket(server.webSocketUrl);
    // The held lock makes a save wait.
    const holder = await holdDatabase(server.DATABASE_URL);
    const answer = socket.ask('running', SAVE, { name: 'user' });
    // The save is running when a later operation has a response.
    expect(await socket.ask('next', '{ viewer { userId } }')).toMatchObject({ data: {} });
    server.kill('SIGTERM');
    await refused(server.url);
    expect(await idle.closed).toEqual(RESTARTING);
    for (const query of ['{ viewer { userId } }', HEAD]) {
      expect(await socket.ask('late', query)).toEqual({
        refused: [{ message: 'The socket closes: connect again', extensions: { code: 'SERVER_STOPS' } }],
      });
    }
    await holder.release();
    expect(await answer).toEqual(SAVED);
    expect(await socket.closed).toEqual(RESTARTING);
    expect(await server.exited).toMatchObject(STOPPED);
  });

  it('disconnects a client that does not close its socket within the time limit, without waiting for its answer', async () => {
    const server = await startWithDemo({ SHUTDOWN_TIMEOUT_MS: '200' });
    const silent = await connectWebSocket(server.webSocketUrl);
    silent.socket.pause();
    const { subscribe, ask, closed } = await connectWebSocket(server.webSocketUrl);
    await holdDatabase(server.DATABASE_URL);
    subscribe('running', SAVE, { name: 'user' });
    await ask('next', '{ viewer { userId } }');
    server.kill('SIGTERM');
    expect(await closed).toEqual({ code: 1006, reason: '' });
    expect(await server.exited).toMatchObject({ code: 0, signal: null });
  });
});

describe('a server that stops', () => {
  it('waits no longer than its time limit', async () => {
    // The periodic check of sockets would disconnect the client, too.
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await startListening({ shutdownTimeoutMs: 4_000 });
    const { socket } = await connectWebSocket(server.webSocketUrl);
    socket.pause();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let hasStopped = false;
    const stopped = server.stop().then(() => (hasStopped = true));
    await refused(server.url);
    vi.advanceTimersByTime(3_999);
    await refused(server.url);
    expect(hasStopped).toBe(false);
    vi.advanceTimersByTime(1);
    await stopped;
    expect(server.unexpectedErrors).toEqual(new Map());
  });

  it('sends a complete answer to a client that reads slowly', async () => {
    const server = await startListening({ demo: true, shutdownTimeoutMs: 600_000 });
    const text = 'x'.repeat(1_000_000);
    for (let n = 0; n < 16; n++) {
      const messages = [{ name: 'user', content: { text } }];
      const query = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
      await server.ask(query, { input: { chatId: 'demo', onConflict: 'APPEND', messages } });
    }
    const { socket, send, take, ask, closed } = await connectWebSocket(server.webSocketUrl);
    const answer = ask('large', '{ chat(id: "demo") { activeBranch { chain { text } } } }');
    send({ type: 'ping' });
    // The operation is running when a later ping has a response.
    expect(await take()).toEqual({ type: 'pong' });
    socket.pause();
    const stopped = server.stop();
    await refused(server.url);
    socket.resume();
    expect(JSON.stringify(await answer).length).toBeGreaterThan(16_000_000);
    expect(await closed).toEqual(RESTARTING);
    await stopped;
  });

  it('opens no socket on an existing connection', async () => {
    const server = await startListening();
    const { host, hostname, port } = new URL(server.url);
    const connection = connect(Number(port), hostname);
    let received = '';
    connection.on('data', (data) => (received += data.toString())).on('error', () => {});
    // Not with `once`, which rejects if the connection was reset.
    const closed = new Promise((resolve) => connection.once('close', resolve));
    await once(connection, 'connect');
    const stopped = server.stop();
    const key = `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`;
    const headers = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', key];
    connection.write(['GET /graphql HTTP/1.1', `Host: ${host}`, ...headers, '', ''].join('\r\n'));
    await Promise.all([closed, stopped]);
    expect(received).not.toContain('101 Switching Protocols');
  });

  it.each(['GET', 'POST'])('breaks off the event stream of a %s without completing it', async (method) => {
    // The stop must not wait for clients.
    const server = await startListening({ demo: true, shutdownTimeoutMs: 600_000 });
    const url = method === 'GET' ? `${server.url}?${new URLSearchParams({ query: HEAD })}` : server.url;
    const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
    const sent = request(url, { method, headers });
    sent.end(method === 'GET' ? undefined : JSON.stringify({ query: HEAD }));
    const [stream] = (await once(sent, 'response')) as [IncomingMessage];
    let received = '';
    const isFollowing = new Promise<void>((resolve) => {
      stream.setEncoding('utf8').on('data', (text: string) => {
        received += text;
        if (received.includes('event: next')) resolve();
      });
    });
    await isFollowing;
    const brokenOff = once(stream, 'error');
    await server.stop();
    expect(await brokenOff).toMatchObject([{ code: 'ECONNRESET' }]);
    expect(received.match(/^(event|data): ?\S+/gm)).toEqual([
      'event: next',
      expect.stringMatching(/^data: \{"data":\{"branchHead":\{"seq":\d+\}\}\}$/),
    ]);
  });
});

/** Clients that reconnect as soon as they may, and send the position to resume at. */
type Resuming = (url: string, after: () => number, isBack: Promise<void>) => AsyncIterator<unknown, unknown, undefined>;

const clients: Record<string, Resuming> = {
  'of graphql-ws': (url, after, isBack) => {
    const client: Client = createWebSocketClient({
      url: url.replace('http:', 'ws:'),
      webSocketImpl: WebSocket,
      retryWait: () => isBack,
    });
    onTestFinished(async () => client.dispose());
    return client.iterate(resumed(after));
  },
  'of graphql-sse': (url, after, isBack) => {
    const client = createSseClient({ url, retry: () => isBack });
    onTestFinished(() => client.dispose());
    return client.iterate(resumed(after));
  },
};

/** An operation whose variable is evaluated each time it is sent. */
function resumed(after: () => number) {
  return {
    query: EVENTS,
    variables: {
      get after() {
        return after();
      },
    },
  };
}

describe.each(Object.entries(clients))('a client %s', (_name, follow) => {
  it('reconnects to the next server, and resumes after its last event', async () => {
    const databaseUrl = temporaryDatabaseUrl();
    const port = await freePort();
    const first = await startListening({ databaseUrl, port, demo: true });
    let seen = (await versionOf(first)) - 2;
    let restart = () => {};
    const isBack = new Promise<void>((resolve) => (restart = resolve));
    const events = follow(first.url, () => seen, isBack);
    const next = async () => {
      const { value } = await events.next();
      seen = (value as { data: { chatEvents: { seq: number } } }).data.chatEvents.seq;
      return seen;
    };
    const begin = seen;
    expect([await next(), await next()]).toEqual([begin + 1, begin + 2]);

    const waiting = next();
    await first.stop();
    const second = await startListening({ databaseUrl, port });
    const { ask } = await connectWebSocket(second.webSocketUrl);
    expect(await ask('1', SAVE, { name: 'user' })).toEqual(SAVED);
    restart();
    expect(await waiting).toBe(begin + 3);
  });
});

async function versionOf(server: ListeningServer): Promise<number> {
  const { data } = await server.ask('{ chat(id: "demo") { version } }');
  return (data as { chat: { version: number } }).chat.version;
}
