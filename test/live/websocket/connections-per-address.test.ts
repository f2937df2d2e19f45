/** Limits of connections, which use scarce file descriptors. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { boundConnections } from '../../../src/http/limits/connections.js';
import { listen } from '../../../src/http/server/listen.js';
import type { ServerOptions } from '../../../src/server.js';
import { startListening } from '../../support/server/listening-server.js';
import { openWebSocket } from '../../support/server/raw-websocket.js';

const REFUSED = 'Connections are refused: 127.0.0.1 has 3 open, and MAX_CONNECTIONS_PER_ADDRESS allows no more';

/** An idle connection, with a promise of its close. */
function open(url: string | URL): { socket: Socket; closed: Promise<unknown> } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).resume();
  onTestFinished(() => void socket.destroy());
  // The server may reset it before it is established.
  socket.on('error', () => {});
  return { socket, closed: new Promise((resolve) => socket.once('close', resolve)) };
}

/** A server that accepts three connections per address, and a way to count them without another connection. */
async function startBounded(options: Partial<ServerOptions> = {}) {
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  return { lines, ...(await startListening({ limits: { maxConnectionsPerAddress: 3 }, log, ...options })) };
}

it('an address has a limited number of connections of any kind; one more is closed immediately, with the reason', async () => {
  const { url, webSocketUrl, lines } = await startBounded();
  const [first] = [open(url), open(url)];
  const { socket: webSocket } = await openWebSocket(webSocketUrl);
  await open(url).closed;
  await open(url).closed;
  expect([first.socket.closed, webSocket.readyState]).toEqual([false, webSocket.OPEN]);
  expect(lines).toEqual([REFUSED]);
});

it('a closed connection admits another', async () => {
  const { url, ask, lines } = await startBounded();
  const [first] = [open(url), open(url), open(url)];
  await open(url).closed;
  first.socket.destroy();
  // The server notices the close a moment later, on a separate connection.
  await expect.poll(() => ask('{ viewer { userId } }').catch(() => null)).toHaveProperty('data');
  expect(lines).toEqual([REFUSED]);
});

it('connections of a trusted proxy are not counted, because it forwards many clients', async () => {
  const { url, ask, lines } = await startBounded({ trustedProxies: ['127.0.0.0/8'] });
  const many = Array.from({ length: 10 }, () => open(url));
  await Promise.all(many.map(({ socket }) => once(socket, 'connect')));
  expect(await ask('{ viewer { userId } }')).toHaveProperty('data');
  expect(many.filter(({ socket }) => socket.closed)).toEqual([]);
  expect(lines).toEqual([]);
});

it('the number of open connections is measured', async () => {
  const { url } = await startListening();
  const page = new URL('/metrics', url);
  const read = async () => {
    const text = await (await fetch(page, { headers: { connection: 'close' } })).text();
    return Number(/^parley_connections (\d+)$/m.exec(text)?.[1]);
  };
  const alone = await read();
  const sockets = [open(url), open(url)];
  await expect.poll(read).toBe(alone + 2);
  for (const { socket } of sockets) socket.destroy();
  await expect.poll(read).toBe(alone);
});

it('refused connections add at most one line a minute to the log', async () => {
  const { url, lines } = await startBounded();
  for (let n = 0; n < 3; n++) open(url);
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  await open(url).closed;
  vi.advanceTimersByTime(59_000);
  await open(url).closed;
  expect(lines).toEqual([REFUSED]);
  vi.advanceTimersByTime(2_000);
  await open(url).closed;
  expect(lines).toEqual([REFUSED, REFUSED]);
});

it('connections that cannot be accepted are logged once, and so is the next accepted one; the process goes on', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  const http = createServer();
  boundConnections(http, { perAddress: 0, addressOf: () => null, log: (line) => lines.push(line) });
  await listen(http, '127.0.0.1', 0);
  onTestFinished(() => void http.close());
  const fail = (syscall: string, code: string) => http.emit('error', Object.assign(new Error(), { syscall, code }));
  fail('listen', 'EADDRINUSE');
  expect(lines).toEqual([]);
  for (let n = 0; n < 3; n++) fail('accept', 'ENFILE');
  const full = 'Connections cannot be accepted: the process can open no more of them, nor files (ENFILE)';
  expect(lines).toEqual([full]);
  for (let n = 0; n < 2; n++) vi.advanceTimersByTime(1_000);
  expect(lines).toEqual([full, 'Connections are accepted again']);
});
