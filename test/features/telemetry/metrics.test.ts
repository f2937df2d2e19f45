/** The metrics page for Prometheus. */
import { once } from 'node:events';
import { renameSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundledMigrations } from '../../../src/database/drivers/bundled-migrations.js';
import { stopClock } from '../../limits/stopped-clock.js';
import { freePort } from '../../support/server/free-port.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { temporaryFile, temporaryFolder } from '../../support/temporary-folder.js';
import { startListening } from '../../support/server/listening-server.js';
import { connectWebSocket, upgradeStatus } from '../../support/server/raw-websocket.js';
import { noRedis, redisServerPath, startRedis } from '../../support/server/redis-server.js';
import { AUTH, bearer } from '../../support/server/tokens.js';
import { operations, startMeasured } from './measured-server.js';

it('requests by route and status', async () => {
  const { url, ask, series } = await startMeasured();
  await ask('{ viewer { userId } }');
  await fetch(new URL('/health/live', url));
  await fetch(new URL('/anything?at=all', url));
  const requests = [...(await series())].filter(([name]) => name.startsWith('parley_http_requests_total'));
  expect(Object.fromEntries(requests)).toEqual({
    'parley_http_requests_total{route="/graphql",status="200"}': 1,
    'parley_http_requests_total{route="/health/live",status="200"}': 1,
    'parley_http_requests_total{route="other",status="404"}': 1,
  });
});

it('counts refused WebSocket handshakes and malformed HTTP', async () => {
  const { url, webSocketUrl, series } = await startMeasured({
    limits: { maxSocketsPerAddress: 1, requestTimeoutMs: 1_000 },
  });
  await connectWebSocket(webSocketUrl);
  expect(await upgradeStatus(webSocketUrl)).toBe(429);
  expect(await upgradeStatus(webSocketUrl, { origin: 'https://evil.example' })).toBe(403);
  expect(await upgradeStatus(webSocketUrl, { headers: { host: 'evil.example' } })).toBe(421);
  const answered = async (text: string) => {
    const connection = connect(Number(new URL(url).port), '127.0.0.1');
    connection.write(text);
    const chunks: Buffer[] = [];
    connection.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(connection, 'close');
    return Buffer.concat(chunks).toString();
  };
  const body =
    'POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{';
  const answers = await Promise.all(['nonsense\r\n\r\n', 'GET / HT', body].map(answered));
  expect(answers.map((answer) => answer.slice(9, 12))).toEqual(['400', '408', '408']);
  const requests = [...(await series())].filter(([name]) => name.startsWith('parley_http_requests_total'));
  const labels = (route: string, status: number) => `parley_http_requests_total{route="${route}",status="${status}"}`;
  expect(Object.fromEntries(requests)).toEqual({
    [labels('handshake', 429)]: 1,
    [labels('handshake', 403)]: 1,
    [labels('handshake', 421)]: 1,
    [labels('unreadable', 400)]: 1,
    [labels('unreadable', 408)]: 1,
    [labels('/graphql', 408)]: 1,
  });
});

it('sockets, subscriptions, and delivered events', async () => {
  const { webSocketUrl, ask, series } = await startMeasured();
  const sockets = [await connectWebSocket(webSocketUrl), await connectWebSocket(webSocketUrl)];
  for (const socket of sockets) {
    socket.subscribe('1', 'subscription { branchHead(chatId: "demo") { seq } }');
    await socket.take('1');
  }
  const message = '{ id: "new", name: "user", content: { text: "x" } }';
  await ask(`mutation { saveMessages(input: { chatId: "demo", messages: [${message}] }) { __typename } }`);
  for (const socket of sockets) await socket.take('1');
  const read = async () => {
    const found = await series();
    const names = ['websockets', 'subscriptions', 'subscription_groups', 'followed_chats', 'events_delivered_total'];
    return names.map((name) => found.get(`parley_${name}`));
  };
  expect(await read()).toEqual([2, 2, 1, 1, 4]);
  for (const { socket, closed } of sockets) {
    socket.close();
    await closed;
  }
  await expect.poll(read).toEqual([0, 0, 0, 0, 4]);
  const follower = await connectWebSocket(webSocketUrl);
  await ask('mutation { startDraft(input: { chatId: "demo" }) { __typename } }');
  follower.subscribe('1', 'subscription { drafts(chatId: "demo") { state } }');
  await follower.take('1');
  expect((await series()).get('parley_followed_draft_chats')).toBe(1);
});

it.skipIf(redisServerPath === undefined)(`whether the bus is connected${noRedis}`, async () => {
  const redis = await startRedis();
  const { series, url } = await startMeasured({ redisUrl: redis.url, log: () => {} });
  const readiness = async () => {
    const response = await fetch(new URL('/health/ready', url));
    return { status: response.status, ...((await response.json()) as object) };
  };
  await expect.poll(async () => (await series()).get('parley_bus_connected')).toBe(1);
  expect(await readiness()).toMatchObject({ status: 'ready', bus: 'up' });
  await redis.kill();
  await expect.poll(async () => (await series()).get('parley_bus_connected')).toBe(0);
  // Sweeps find changes that the bus does not report.
  expect(await readiness()).toMatchObject({ status: 'ready', bus: 'down' });
});

it('the process, without data of another server in it', async () => {
  const [one, other] = [await startMeasured(), await startMeasured()];
  await one.ask('query Mine { viewer { userId } }');
  const series = await other.series();
  expect(series.get('process_resident_memory_bytes')).toBeGreaterThan(1e6);
  expect(series.has('nodejs_eventloop_lag_mean_seconds')).toBe(true);
  expect(series.has('parley_bus_connected')).toBe(false);
  expect(operations(series)).toEqual({});
});

it('readiness, the database and its migrations, at each scrape while the database is unavailable', async () => {
  const file = temporaryFile();
  const { series } = await startMeasured({ databaseUrl: `file:${file}`, log: () => {} });
  const names = ['ready', 'database_up', 'migrations_applied', 'migrations_expected'];
  const states = async () => {
    const values = await series();
    return names.map((name) => values.get(`parley_${name}`));
  };
  const expected = bundledMigrations('sqlite').length;
  expect(await states()).toEqual([1, 1, expected, expected]);
  renameSync(file, `${file}.away`);
  const unavailable = [0, 0, undefined, undefined];
  await expect.poll(states).toEqual(unavailable);
  expect(await states()).toEqual(unavailable);
  renameSync(`${file}.away`, file);
  await expect.poll(states).toEqual([1, 1, expected, expected]);
  const database = await rawDatabase(`file:${file}`);
  await database.run(
    'DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)',
  );
  expect(await states()).toEqual([0, 1, expected - 1, expected]);
});

it('imports by their result', async () => {
  const { url, series } = await startMeasured();
  const at = new URL('/import', url);
  const bring = async (body: string, type = 'application/jsonl') =>
    (await (await fetch(at, { method: 'POST', headers: { 'content-type': type }, body })).text()).length;
  const results = async () => {
    const values = await series();
    const result = (name: string) => values.get(`parley_imports_total{result="${name}"}`);
    return [result('imported'), result('refused'), result('aborted'), result('failed')];
  };
  expect(await results()).toEqual([0, 0, 0, 0]);
  await bring('{"name":"user","content":"Hello"}\n');
  await bring('{}', 'text/plain');
  expect(await results()).toEqual([1, 1, 0, 0]);
  const socket = connect(Number(at.port), '127.0.0.1');
  socket.write(
    'POST /import HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/jsonl\r\ncontent-length: 99\r\n\r\n{',
  );
  await once(socket, 'connect');
  socket.resetAndDestroy();
  await expect.poll(results).toEqual([1, 1, 1, 0]);
  const { TMPDIR } = process.env;
  onTestFinished(() => void (TMPDIR === undefined ? delete process.env['TMPDIR'] : (process.env['TMPDIR'] = TMPDIR)));
  process.env['TMPDIR'] = join(temporaryFolder(), 'missing');
  await bring('{"name":"user","content":"Hello"}\n');
  expect(await results()).toEqual([1, 1, 1, 1]);
});

describe('the page', () => {
  it('is for admins only, if other users exist', async () => {
    const { url } = await startMeasured({ auth: AUTH });
    const status = async (headers: Record<string, string>) =>
      (await fetch(new URL('/metrics', url), { headers })).status;
    expect(await status({})).toBe(404);
    expect(await status({ authorization: 'Bearer nonsense' })).toBe(404);
    expect(await status(await bearer('ann'))).toBe(404);
    expect(await status(await bearer('ann', true))).toBe(200);
  });

  it('reports an exceeded rate limit to an admin, and to no client without a token', async () => {
    stopClock();
    const { url } = await startMeasured({ auth: AUTH, limits: { rateLimitPerAddress: 2 } });
    const page = new URL('/metrics', url);
    const admin = { headers: await bearer('ann', true) };
    // Requests count as operations.
    expect([(await fetch(page, admin)).status, (await fetch(page, admin)).status]).toEqual([200, 200]);
    const refused = await fetch(page, admin);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await fetch(page)).status).toBe(404);
  });

  it('is on a separate port if one is set, and on no other', async () => {
    const metricsPort = await freePort();
    const { url, stop } = await startMeasured({ auth: AUTH, metricsPort });
    const own = new URL('/metrics', url);
    own.port = String(metricsPort);
    const response = await fetch(own);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const elsewhere = await fetch(new URL('/', own));
    expect(elsewhere.status).toBe(404);
    for (const { headers } of [response, elsewhere]) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-frame-options')).toBe('DENY');
    }
    expect((await fetch(own, { method: 'POST' })).status).toBe(405);
    expect((await fetch(new URL('/metrics', url), { headers: await bearer('a', true) })).status).toBe(404);
    await stop();
    await expect(fetch(own)).rejects.toThrow('fetch failed');
  });

  it('names the invalid setting if its port is taken', async () => {
    const { url } = await startMeasured();
    const metricsPort = Number(new URL(url).port);
    await expect(startListening({ metricsPort })).rejects.toThrow(
      `Cannot listen on 127.0.0.1, port ${metricsPort}: the port is in use: set METRICS_PORT to another`,
    );
  });
});
