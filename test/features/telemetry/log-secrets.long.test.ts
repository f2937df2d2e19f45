/** Logs contain no password, token or text of a user. */
import { setImmediate as nextRound } from 'node:timers/promises';
import pg from 'pg';
import { expect, it } from 'vitest';
import { freePort } from '../../support/server/free-port.js';
import { startConfigured } from '../../support/server/configured-server.js';
import { startOwnPostgresql } from '../../support/database/own-postgresql.js';
import { openWebSocket } from '../../support/server/raw-websocket.js';
import { startServer, type Settings } from '../../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { everyOperation } from './every-operation.js';
import { SECRET, SAVE, post, startForOthers } from './logged-servers.js';

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
