/** The chat list: changed on another server, and followed by a client that does not read. */
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { createServer, type ParleyServer, type ServerOptions } from '../../src/server.js';
import { databaseKind } from '../support/database/database-kind.js';
import { openStream, type EventStream } from '../support/server/event-stream.js';
import { rawDatabase } from '../support/database/raw-database.js';
import { emptyDatabaseUrl } from '../support/database/temporary-database.js';

const CHANGES = 'subscription { chatChanges { chatId kind version chat { title } } }';
const HOUR_MS = 3_600_000;

/** A server, and a client of the user ann. */
async function serve(options: Pick<ServerOptions, 'databaseUrl'> & Partial<ServerOptions>) {
  let statements: string[] = [];
  const server: ParleyServer = await createServer({
    migrateOnStart: true,
    log: () => {},
    onStatement: (sql) => statements.push(sql),
    ...options,
  });
  onTestFinished(() => server.stop());
  const post = (body: string, headers: Record<string, string> = {}) =>
    server.fetch(
      new Request('http://localhost/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-user-id': 'ann', ...headers },
        body,
      }),
    );
  return {
    server,
    follow: () => openStream({ post }, CHANGES),
    async mutate(mutation: string): Promise<void> {
      const response = await post(JSON.stringify({ query: `mutation { ${mutation} { __typename } }` }));
      expect(await response.text()).not.toMatch(/Error|errors/);
    },
    /** The number of queries for deletions: one at the start, and one per sweep. */
    sweeps: () => statements.filter((sql) => sql.includes('NULL AS "userId"')).length,
    /** The number of queries for chats since the last call. */
    takeLooks() {
      const looks = statements.filter((sql) => sql.includes('transferredAt')).length;
      statements = [];
      return looks;
    },
  };
}

async function expectChange(stream: EventStream, kind: string, version: number, title: string | null): Promise<void> {
  const chat = title === null ? null : { title };
  expect(await stream.next()).toEqual({ data: { chatChanges: { chatId: 'c', kind, version, chat } } });
}

const rename = (title: string) => `updateChat(input: { id: "c", title: "${title}" })`;

// SQLite files have no bus except Redis.
if (databaseKind === 'postgresql') {
  test('the bus reports a change on another server, with one statement for any number of followers', async () => {
    const databaseUrl = emptyDatabaseUrl();
    const [one, other] = [
      await serve({ databaseUrl, sweepIntervalMs: HOUR_MS }),
      await serve({ databaseUrl, sweepIntervalMs: HOUR_MS }),
    ];
    const streams = await Promise.all(Array.from({ length: 20 }, () => one.follow()));
    await other.mutate('createChat(input: { id: "c", title: "first" })');
    for (const stream of streams) await expectChange(stream, 'CREATED', 3, 'first');
    one.takeLooks();
    for (let n = 0; n < 3; n++) {
      await other.mutate(rename(`${n}`));
      for (const stream of streams) await expectChange(stream, 'CHANGED', 4 + n, `${n}`);
    }
    expect(one.takeLooks()).toBe(3);
    expect(other.takeLooks()).toBe(0);
    await one.mutate('deleteChat(input: { id: "c" })');
    for (const stream of streams) await expectChange(stream, 'REMOVED', 7, null);
    expect(one.takeLooks()).toBe(1);
  });
}

test('a sweep finds a change on another server that no bus has reported', async () => {
  const url = emptyDatabaseUrl();
  // A pooler does not support LISTEN.
  const databaseUrl = databaseKind === 'postgresql' ? `${url}&pgbouncer=true` : url;
  const [one, other] = [await serve({ databaseUrl, sweepIntervalMs: 20 }), await serve({ databaseUrl })];
  const stream = await one.follow();
  await other.mutate('createChat(input: { id: "c", title: "first" })');
  await expectChange(stream, 'CREATED', 3, 'first');
  await other.mutate(rename('second'));
  await expectChange(stream, 'CHANGED', 4, 'second');
  await other.mutate('deleteChat(input: { id: "c" })');
  await expectChange(stream, 'REMOVED', 5, null);
});

test('25,000 chats of another user with dates in the future disconnect no follower', async () => {
  const databaseUrl = emptyDatabaseUrl();
  const ann = await serve({ databaseUrl, sweepIntervalMs: 20 });
  const early = await ann.follow();
  const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 25000)`;
  const columns = '"id", "userId", "metadata", "createdAt", "updatedAt", "version"';
  const later = Date.UTC(9999);
  await (
    await rawDatabase(databaseUrl)
  ).run(
    `${numbers} INSERT INTO chats (${columns}) SELECT 'm' || n, 'mallory', '{}', ${later}, ${later}, 1 FROM numbers`,
  );
  const sweep = async () => {
    const sweeps = ann.sweeps();
    await expect.poll(() => ann.sweeps(), { interval: 5 }).toBeGreaterThan(sweeps + 2);
  };
  await sweep();
  const late = await ann.follow();
  await sweep();
  await ann.mutate('createChat(input: { id: "c", title: "first" })');
  await ann.mutate(rename('second'));
  for (const stream of [early, late]) {
    for (let version = 0; version < 4;) {
      const answer = (await stream.next()) as { data: { chatChanges: { chatId: string; version: number } } };
      expect(answer.data.chatChanges.chatId).toBe('c');
      ({ version } = answer.data.chatChanges);
    }
  }
});

test('a client that does not read is disconnected, without delaying others', async () => {
  // More than the kernel buffers for a client.
  const BYTES = 60_000;
  const CHANGES_MADE = 90;
  const ann = await serve({ databaseUrl: emptyDatabaseUrl(), socketBufferBytes: 100_000 });
  const socket = new WebSocket((await ann.server.start()).replace('http', 'ws'), 'graphql-transport-ws', {
    headers: { 'x-user-id': 'ann' },
    perMessageDeflate: false,
  });
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  const query = 'subscription { chatChanges { chat { a: metadata b: metadata c: metadata } } }';
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
  let taken = 0;
  socket.on('message', () => taken++);
  const quick = await ann.follow();
  await ann.mutate(`createChat(input: { id: "c", metadata: { filling: "${'x'.repeat(BYTES)}" } })`);
  await quick.next();
  // Until the subscription of the socket is running, too.
  for (let n = 0; taken === 0; n++) {
    await ann.mutate(rename(`again ${n}`));
    await quick.next();
  }
  socket.pause();
  const closed = once(socket, 'close');
  taken = 0;
  for (let n = 0; n < CHANGES_MADE; n++) {
    await ann.mutate(rename(`${n}`));
    await quick.next();
  }
  socket.resume();
  const [code] = (await closed) as [number];
  // Clients that read the close code in time know the reason.
  expect([4413, 1006]).toContain(code);
  expect(taken).toBeLessThan(CHANGES_MADE);
});
