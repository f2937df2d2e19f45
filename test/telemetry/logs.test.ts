/** The log of a process, which never contains secrets. */
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import pg from 'pg';
import { expect, it } from 'vitest';
import { signToken } from '../../src/auth/sign-token.js';
import { freePort } from '../support/server/free-port.js';
import { startConfigured, type ConfiguredServer } from '../support/server/configured-server.js';
import { startListening } from '../support/server/listening-server.js';
import { startOwnPostgresql } from '../support/database/own-postgresql.js';
import { rawDatabase } from '../support/database/raw-database.js';
import { openWebSocket, upgradeStatus } from '../support/server/raw-websocket.js';
import { startServer, type ServerProcess, type Settings } from '../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../support/database/temporary-database.js';
import { everyOperation } from './every-operation.js';

/** A long and unusual text that can be found in logs. */
const SECRET = 'Xyzzy-marked-secret-0123456789-abcdef';
const SAVE = `mutation Save($text: String) {
  saveMessages(input: { chatId: "c", messages: [{ name: "user", content: { text: $text } }] }) { __typename }
}`;

type Line = Record<string, unknown>;

async function post(url: string, body: object | string, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const answer = (await response.json()) as { errors?: { extensions: Record<string, string> }[] };
  return { id: response.headers.get('x-request-id'), ...answer };
}

/** Stops a server and returns the lines of its log. */
async function linesOf({ stop, log }: ConfiguredServer): Promise<Line[]> {
  await stop();
  return lines(log());
}

/** The same for a process, including the lines of its start and stop. */
async function linesOfProcess({ kill, exited }: ServerProcess): Promise<Line[]> {
  kill('SIGTERM');
  const { code, stderr } = await exited;
  expect(code).toBe(0);
  return lines(stderr);
}

function lines(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** As browsers send it, and as programs do. */
const tokenOf = (userId: string) => signToken({ secret: SECRET }, { userId, isAdmin: true, lifetime: 60 });

async function startForOthers<Server>(
  start: (settings: Settings) => Promise<Server>,
  settings: Partial<Settings> = {},
): Promise<{ server: Server; headers: { authorization: string } }> {
  const server = await start({ DATABASE_URL: temporaryDatabaseUrl(), AUTH_JWT_SECRET: SECRET, ...settings });
  return { server, headers: { authorization: `Bearer ${await tokenOf('alice')}` } };
}

it('in production, a process logs each operation in a line, between its start and its stop', async () => {
  const { server, headers } = await startForOthers(startServer);
  const { id } = await post(server.url, { query: 'query Mine { viewer { userId } }' }, headers);
  await post(server.url, { query: 'mutation { nothing }' }, { ...headers, 'x-request-id': 'chosen.by-1_client' });
  const socket = await openWebSocket(server.url.replace('http:', 'ws:'), {
    headers: { ...headers, 'x-request-id': 'a-socket' },
  });
  socket.send({ type: 'connection_init' });
  await socket.take();
  await socket.ask('first', 'query Other { viewer { userId } }');
  socket.subscribe('second', 'subscription { chatEvents(chatId: "none") { seq } }');
  await socket.take('second');
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Line;
  const life = { level: 'info', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string };
  const common = {
    ...life,
    address: '127.0.0.1',
    userId: 'alice',
    durationMs: expect.any(Number) as number,
    msg: 'Operation',
  };
  expect(await linesOfProcess(server)).toEqual([
    {
      ...life,
      msg: 'Started',
      version,
      node: process.version,
      mode: 'production',
      address: server.url,
      database: 'sqlite',
    },
    { ...common, requestId: id, transport: 'http', type: 'query', name: 'Mine', code: 'OK' },
    {
      ...common,
      requestId: 'chosen.by-1_client',
      transport: 'http',
      type: 'mutation',
      name: null,
      code: 'GRAPHQL_VALIDATION_FAILED',
    },
    { ...common, requestId: 'a-socket.1', transport: 'websocket', type: 'query', name: 'Other', code: 'OK' },
    {
      ...common,
      requestId: 'a-socket.2',
      transport: 'websocket',
      type: 'subscription',
      name: null,
      code: 'NOT_FOUND',
    },
    { ...life, msg: 'Stopping', signal: 'SIGTERM' },
    { ...life, msg: 'Stopped' },
  ]);
});

it('a refused token is logged with the reason, over both transports', async () => {
  const { server, headers } = await startForOthers(startConfigured);
  const [head, payload] = headers.authorization.split('.');
  const expired = await signToken({ secret: SECRET }, { userId: 'alice', isAdmin: false, lifetime: -60 });
  const refused: [reason: string, authorization: string | undefined][] = [
    ['no token', undefined],
    ['malformed', 'Bearer nonsense'],
    ['expired', `Bearer ${expired}`],
    ['bad signature', `${head}.${payload}.${'A'.repeat(43)}`],
  ];
  for (const [, authorization] of refused) {
    await post(server.url, { query: '{ viewer { userId } }' }, authorization === undefined ? {} : { authorization });
    const socket = await openWebSocket(server.url.replace('http:', 'ws:'));
    socket.send({ type: 'connection_init', payload: { authorization } });
    expect((await socket.closed).code).toBe(4403);
  }
  const common = { msg: 'Operation', code: 'UNAUTHENTICATED', address: '127.0.0.1', userId: null };
  expect((await linesOf(server)).filter(({ msg }) => msg === 'Operation')).toMatchObject(
    refused.flatMap(([reason]) => [
      { ...common, reason, transport: 'http' },
      { ...common, reason, transport: 'websocket' },
    ]),
  );
});

it('a refused handshake and a malformed request are logged at debug, without their content', async () => {
  const { server } = await startForOthers(startConfigured, {
    LOG_LEVEL: 'debug',
    MAX_SOCKETS_PER_ADDRESS: '1',
    REQUEST_TIMEOUT_MS: '1000',
  });
  const webSocketUrl = server.url.replace('http:', 'ws:');
  const headers = { 'x-request-id': 'a-socket' };
  await openWebSocket(webSocketUrl);
  expect(await upgradeStatus(webSocketUrl, { headers, origin: `https://${SECRET}.example` })).toBe(403);
  expect(await upgradeStatus(webSocketUrl, { headers })).toBe(429);
  expect(await upgradeStatus(webSocketUrl, { headers: { ...headers, host: '@' } })).toBe(400);
  const { hostname, port } = new URL(server.url);
  const answers = [
    `GET ${SECRET}\r\n\r\n`,
    `GET / HTTP/1.1\r\nhost: x\r\nx-secret: ${'x'.repeat(20_000)}${SECRET}\r\n\r\n`,
    'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
  ].map(async (text) => {
    const connection = connect(Number(port), hostname);
    connection.write(text);
    const [head] = (await once(connection, 'data')) as [Buffer];
    connection.destroy();
    return head.toString().slice(0, 12);
  });
  expect(await Promise.all(answers)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 431', 'HTTP/1.1 401']);
  const requests = (await linesOf(server)).filter(({ msg }) => msg === 'Request');
  const handshake = { level: 'debug', route: 'handshake', method: 'GET', requestId: 'a-socket', address: '127.0.0.1' };
  const unreadable = { level: 'debug', route: 'unreadable', method: null, address: '127.0.0.1' };
  expect(requests).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ ...handshake, status: 403 }),
      expect.objectContaining({ ...handshake, status: 429 }),
      expect.objectContaining({ ...handshake, status: 400 }),
      expect.objectContaining({ ...unreadable, status: 400 }),
      expect.objectContaining({ ...unreadable, status: 431 }),
    ]),
  );
  expect(JSON.stringify(requests)).not.toContain(SECRET);
});

it('in development, a terminal shows nothing unless LOG_LEVEL is set', async () => {
  const DATABASE_URL = temporaryDatabaseUrl();
  const quiet = await startConfigured({ DATABASE_URL });
  await post(quiet.url, { query: '{ viewer { userId } }' });
  expect(await linesOf(quiet)).toEqual([]);
  const speaking = await startConfigured({ DATABASE_URL, LOG_LEVEL: 'debug' });
  await post(speaking.url, { query: '{ viewer { userId } }' });
  expect(await linesOf(speaking)).toMatchObject([
    { level: 'debug', msg: 'Operation', type: 'query', userId: 'local' },
    { level: 'debug', msg: 'Request', method: 'POST', route: '/graphql', status: 200 },
  ]);
});

it('an invalid request id of a client is replaced', async () => {
  const { url } = await startListening();
  for (const given of ['a b', 'a'.repeat(65), '%C3%A4', '"}{"', '../x']) {
    const { id } = await post(url, { query: '{ viewer { userId } }' }, { 'x-request-id': given });
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  }
});

it('an unexpected error is logged under the id that its client received, and with its operation', async () => {
  const DATABASE_URL = temporaryDatabaseUrl();
  const { server, headers } = await startForOthers(startConfigured, { DATABASE_URL });
  await post(server.url, { query: 'mutation { createChat(input: { id: "c" }) { __typename } }' }, headers);
  await (await rawDatabase(DATABASE_URL)).run('ALTER TABLE messages RENAME TO elsewhere');
  const { errors } = await post(server.url, { query: SAVE, variables: { text: SECRET } }, headers);
  const id = errors?.[0]?.extensions['id'];
  expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }]);
  expect((await linesOf(server)).slice(1)).toMatchObject([
    {
      level: 'error',
      msg: 'Unexpected error',
      errorId: id,
      error: {
        type: 'GraphQLError',
        field: 'saveMessages',
        stack: expect.any(Array) as string[],
        cause: { type: 'SqliteError', details: { code: 'SQLITE_ERROR' } },
      },
    },
    { level: 'info', msg: 'Operation', type: 'mutation', name: 'Save', code: 'INTERNAL_SERVER_ERROR', errorIds: [id] },
  ]);
});

it('no password, token or text of a user is in any log, at any level, after any failure', async () => {
  const postgresql = await startOwnPostgresql();
  const { password } = new URL(postgresql.url);
  const { server, headers } = await startForOthers(startServer, {
    DATABASE_URL: postgresql.url,
    MIGRATE_ON_START: 'true',
    REDIS_URL: `redis://${SECRET}:${SECRET}@127.0.0.1:${await freePort()}`,
    LOG_LEVEL: 'trace',
  });
  const { url } = server;
  const create = `mutation ($secret: String) {
    createChat(input: { id: "c", title: $secret, metadata: { secret: "${SECRET}" } }) { __typename }
  }`;
  const socket = await openWebSocket(url.replace('http:', 'ws:'));
  socket.send({ type: 'connection_init', payload: { authorization: headers.authorization } });
  expect((await socket.take()).type).toBe('connection_ack');

  await post(url, { query: create, variables: { secret: SECRET } }, headers);
  await post(url, { query: SAVE, variables: { text: SECRET } }, headers);
  await socket.ask('saved', SAVE, { text: SECRET });
  const everything = everyOperation(SECRET);
  expect(everything.length).toBeGreaterThan(20);
  const run = async (name: string) => {
    for (const [n, { query, variables }] of everything.entries()) {
      if (!query.startsWith('subscription')) await post(url, { query, variables }, headers);
      // The first result of an infinite subscription is enough.
      socket.subscribe(`${name}${n}`, query, variables);
      // The chat list sends nothing before a change, and neither does a draft.
      if (!/^subscription.*(chatChanges|draft)/s.test(query)) await socket.take(`${name}${n}`);
    }
  };
  await run('all');
  for (const broken of [
    { query: `{ ${SECRET.replaceAll('-', '_')} }` },
    { query: `{ chat(id: "${SECRET}` },
    { query: 'query ($n: Int!) { chats(first: $n) { edges { node { id } } } }', variables: { n: SECRET } },
    { query: '{ viewer { userId } }', operationName: SECRET },
    { query: `{ chats(first: 1, after: "${SECRET}") { edges { node { id } } } }` },
    { query: '{ viewer { userId } }', extensions: { secret: SECRET } },
  ]) {
    await post(url, broken, headers);
    await socket.ask(JSON.stringify(broken), broken.query, broken.variables, broken.operationName);
  }
  await post(url, `{"query": "${SECRET}`, headers);
  await post(url, { query: create }, { authorization: `Bearer ${SECRET}` });
  await fetch(`${url}?query={viewer{userId}}&variables={"a":"${SECRET}"}`, { headers });
  await fetch(`${url}/${SECRET}`, { headers });

  const database = new pg.Client({ connectionString: postgresql.url });
  await database.connect();
  await database.query(`
    CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'value too long: %', NEW USING DETAIL = NEW::text, HINT = NEW::text; END $$;
    CREATE TRIGGER tell BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION tell()`);
  const { errors } = await post(url, { query: SAVE, variables: { text: SECRET } }, headers);
  expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }]);
  await database.query('ALTER TABLE chats RENAME TO elsewhere');
  await database.end();
  await run('unexpected');
  await postgresql.stop();
  const unavailable = await post(url, { query: SAVE, variables: { text: SECRET } }, headers);
  expect(unavailable.errors).toMatchObject([{ extensions: { code: 'DATABASE_UNAVAILABLE' } }]);
  while ((await fetch(new URL('/health/ready', url))).status !== 503) await nextRound();

  server.kill('SIGTERM');
  const { stdout, stderr } = await server.exited;
  const written = stderr.trim().split('\n');
  expect(written.filter((line) => line.includes('"level":"error"')).length).toBeGreaterThan(20);
  expect(stdout).toMatch(/^Parley is ready\. [^\n]*\n$/);
  const token = headers.authorization.slice('Bearer '.length);
  for (const secret of [SECRET, SECRET.replaceAll('-', '_'), token, token.split('.')[2]!, password]) {
    expect(written.filter((line) => line.includes(secret))).toEqual([]);
  }
});

it('nor in the output of a process that ends with an uncaught error', async () => {
  const throwing = `process.once("SIGUSR2", () => { throw new SyntaxError("${SECRET}".toUpperCase()) })`;
  const server = await startServer({
    DATABASE_URL: temporaryDatabaseUrl(),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(throwing)}`,
  });
  server.kill('SIGUSR2');
  const { code, stderr } = await server.exited;
  expect(code).toBe(1);
  expect(JSON.parse(stderr)).toMatchObject({ level: 'fatal', msg: 'The process ends', error: { type: 'SyntaxError' } });
  // Upper case, because the script's own address is part of the stack.
  expect(stderr).not.toContain(SECRET.toUpperCase());
});

it('nor in the output of a process that does not start', async () => {
  const refusal = async (settings: Settings) =>
    String(await startConfigured(settings).catch((error: unknown) => error));
  const port = await freePort();
  const unavailable = await refusal({ DATABASE_URL: `postgresql://parley:${SECRET}@127.0.0.1:${port}/x` });
  expect(unavailable).toMatch(/^Error: Cannot use the database .*127\.0\.0\.1/);
  expect(unavailable).not.toContain(SECRET);
  const keys = await refusal({
    DATABASE_URL: temporaryDatabaseUrl(),
    AUTH_JWKS_URL: `https://parley:${SECRET}@127.0.0.1:${port}/keys`,
    AUTH_ISSUER: 'issuer',
    AUTH_AUDIENCE: 'parley',
  });
  expect(keys).toContain('AUTH_JWKS_URL must have no user and password');
  expect(keys).not.toContain(SECRET);
});
