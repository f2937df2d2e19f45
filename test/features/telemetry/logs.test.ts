/** The log of a process, which never contains secrets. */
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { signToken } from '../../../src/features/signed-tokens/sign-token.js';
import { startConfigured } from '../../support/server/configured-server.js';
import { startListening } from '../../support/server/listening-server.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { openWebSocket, upgradeStatus } from '../../support/server/raw-websocket.js';
import { startServer } from '../../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { SECRET, SAVE, post, linesOf, linesOfProcess, startForOthers, type Line } from './logged-servers.js';

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
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as Line;
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
    'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9000\r\n\r\n{',
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
  const verbose = await startConfigured({ DATABASE_URL, LOG_LEVEL: 'debug' });
  await post(verbose.url, { query: '{ viewer { userId } }' });
  expect(await linesOf(verbose)).toMatchObject([
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
