/** Liveness and readiness. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHealth, type HealthOptions } from '../../../src/http/server/health.js';
import type { ServerOptions } from '../../../src/server.js';
import { startListening } from '../../support/server/listening-server.js';
import { holdDatabase, rawDatabase } from '../../support/database/raw-database.js';
import { AUTH } from '../../support/server/tokens.js';

async function answerOf(url: string, which: 'live' | 'ready') {
  const response = await fetch(new URL(`/health/${which}`, url));
  return { status: response.status, body: (await response.json()) as object };
}

/** Serves only the health routes, with the given states of parts. */
async function startHealth(parts: Partial<HealthOptions>): Promise<{ url: string; asked: () => number }> {
  const health = createHealth({
    ping: () => Promise.resolve({ takesChanges: true }),
    migrations: () => Promise.resolve({ applied: 1, expected: 1 }),
    obstacles: () => Promise.resolve({ isNewer: false, missingGrants: [], warnings: [] }),
    bus: () => 'none',
    fill: () => null,
    features: () => ({}),
    isStopping: () => false,
    ...parts,
  });
  let asked = 0;
  const http = createServer((request, response) => {
    void health.answer(request, response);
    asked++;
  }).listen(0, '127.0.0.1');
  onTestFinished(() => http.close().closeAllConnections());
  await once(http, 'listening');
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, asked: () => asked };
}

it('a ready server reports the state of each part', async () => {
  const { url } = await startListening();
  expect(await answerOf(url, 'live')).toEqual({ status: 200, body: { status: 'live' } });
  const body = { status: 'ready', database: 'up', bus: 'none', migrations: 'applied' };
  expect(await answerOf(url, 'ready')).toEqual({ status: 200, body });
});

it('a missing migration makes it unready, an unknown newer one does not', async () => {
  const { url, databaseUrl } = await startListening();
  const database = await rawDatabase(databaseUrl);
  await database.run(`
    INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name)
    VALUES ('future', 'any', 1, '99999999999999_of_the_future')`);
  expect(await answerOf(url, 'ready')).toMatchObject({ status: 200, body: { migrations: 'applied' } });
  await database.run('UPDATE _prisma_migrations SET finished_at = NULL');
  const body = { status: 'not ready', database: 'up', bus: 'none', migrations: 'missing' };
  expect(await answerOf(url, 'ready')).toEqual({ status: 503, body });
  await database.run('DROP TABLE _prisma_migrations');
  expect(await answerOf(url, 'ready')).toEqual({ status: 503, body });
  expect(await answerOf(url, 'live')).toMatchObject({ status: 200 });
});

it('a database that accepts no writes makes it unready, and is reported as read-only', async () => {
  const { url } = await startHealth({ ping: () => Promise.resolve({ takesChanges: false }) });
  const body = { status: 'not ready', database: 'read-only', bus: 'none', migrations: 'applied' };
  expect(await answerOf(url, 'ready')).toEqual({ status: 503, body });
});

it('a SQLite file that another process has locked for seconds makes it unready until the release', async () => {
  const { url, databaseUrl } = await startListening();
  const holder = await holdDatabase(databaseUrl);
  expect(await answerOf(url, 'ready')).toMatchObject({ status: 200 });
  const now = Date.now();
  const clock = vi.spyOn(Date, 'now').mockReturnValue(now + 5_000);
  onTestFinished(() => clock.mockRestore());
  const body = { status: 'not ready', database: 'read-only', bus: 'none', migrations: 'applied' };
  await expect.poll(() => answerOf(url, 'ready')).toEqual({ status: 503, body });
  await holder.release();
  await expect.poll(() => answerOf(url, 'ready')).toMatchObject({ status: 200 });
});

it('a database setting that delays operations appears in readiness, and leaves it ready', async () => {
  const warnings = ['READ_COMMITTED_SNAPSHOT is off'];
  const { url } = await startHealth({
    obstacles: () => Promise.resolve({ isNewer: false, missingGrants: [], warnings }),
  });
  expect(await answerOf(url, 'ready')).toMatchObject({ status: 200, body: { status: 'ready', warnings } });
});

it('an unavailable bus does not make it unready: sweeps find the changes', async () => {
  const { url } = await startHealth({ bus: () => 'down' });
  expect(await answerOf(url, 'ready')).toMatchObject({ status: 200, body: { status: 'ready', bus: 'down' } });
});

it('a stopping server is unready, and live', async () => {
  const { url } = await startHealth({ isStopping: () => true });
  expect(await answerOf(url, 'ready')).toMatchObject({ status: 503, body: { status: 'stopping', database: 'up' } });
  expect(await answerOf(url, 'live')).toMatchObject({ status: 200 });
});

it.each<[string, Partial<HealthOptions>]>([
  ['that cannot be reached', { ping: () => Promise.reject(new Error('away')) }],
  ['that becomes unavailable between two queries', { migrations: () => Promise.reject(new Error('away')) }],
])('a database %s makes it unready', async (_, parts) => {
  const body = { status: 'not ready', database: 'down', bus: 'none', migrations: 'unknown' };
  const { url } = await startHealth(parts);
  expect(await answerOf(url, 'ready')).toEqual({ status: 503, body });
});

it('a database that does not respond is queried once for any number of requests, and counts as down after five seconds', async () => {
  const ping = vi.fn(() => new Promise<never>(() => {}));
  const { url, asked } = await startHealth({ ping });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const answers = Promise.all([answerOf(url, 'ready'), answerOf(url, 'ready')]);
  while (asked() < 2) await nextRound();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await answers).toMatchObject([{ status: 503 }, { status: 503 }]);
  expect(ping).toHaveBeenCalledTimes(1);
});

it.each(['live', 'ready'])('/health/%s can be read, not written', async (which) => {
  const { url } = await startHealth({});
  const response = await fetch(new URL(`/health/${which}`, url), { method: 'POST' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

describe('a probe without a Host header', () => {
  /** The status line of the response to an HTTP/1.0 request, which load balancers send. */
  async function statusOf(url: string, request: string): Promise<string | undefined> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).end(`${request}\r\n\r\n`);
    await once(socket, 'close');
    return Buffer.concat(chunks).toString().split('\r\n')[0];
  }
  const modes: [mode: string, options: Partial<ServerOptions>, refusal: number][] = [
    ['development', {}, 421],
    ['production', { auth: AUTH }, 400],
  ];

  it.each(modes)(
    'is answered in %s mode, and every other request without a Host header is refused',
    async (_, options, refusal) => {
      const { url } = await startListening(options);
      for (const method of ['GET', 'HEAD', 'OPTIONS']) {
        for (const path of ['/health/live', '/health/ready', '/health/ready?probe']) {
          expect([method, path, await statusOf(url, `${method} ${path} HTTP/1.0`)]).toEqual([
            method,
            path,
            'HTTP/1.1 200 OK',
          ]);
        }
      }
      for (const path of ['/', '/graphql', '/metrics', '/import', '/health', '/health/live/x', '//health/live', '*']) {
        expect([path, await statusOf(url, `GET ${path} HTTP/1.0`)]).toEqual([
          path,
          expect.stringMatching(new RegExp(`^HTTP/1.1 ${refusal} `)),
        ]);
      }
    },
  );

  it('is refused with HTTP/1.1, and with the name of another host in development mode', async () => {
    const { url } = await startListening();
    expect(await statusOf(url, 'GET /health/live HTTP/1.1')).toMatch(/^HTTP\/1.1 400 /);
    expect(await statusOf(url, 'GET /health/live HTTP/1.0\r\nHost: evil.example')).toMatch(/^HTTP\/1.1 421 /);
  });
});
