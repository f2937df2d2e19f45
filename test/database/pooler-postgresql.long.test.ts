/** Servers behind PgBouncer, with the settings of docs/databases.md. */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { command as migrate } from '../../src/features/migrations/migrate-command.js';
import { runHere } from '../cli/run-here.js';
import { startOwnPostgresql } from '../support/database/own-postgresql.js';
import { openStream } from '../support/server/event-stream.js';
import { startListening } from '../support/server/listening-server.js';
import { noPgbouncer, startPgbouncer } from '../support/server/pgbouncer.js';

const [, SECTION = ''] = /^### Poolers\n(.*?)^## /ms.exec(readFileSync('docs/databases.md', 'utf8')) ?? [];
const blockOf = (language: string) =>
  new RegExp(`^ *\`\`\`${language}\\n(.*?)^ *\`\`\``, 'ms')
    .exec(SECTION)![1]!
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const HOUR_MS = 3_600_000;
/** Fewer than a server opens: the others wait in PgBouncer. */
const SERVER_CONNECTIONS = 4;
const MESSAGES = 12;

const CHAIN = `query ($id: ID!) { chat(id: $id) { activeBranch { chain { id } } } }`;
const HEAD = `subscription { branchHead(chatId: "c0") { seq head { id } } }`;

async function startPooled(mode: 'session' | 'transaction', settings = blockOf('ini')) {
  const { url } = await startOwnPostgresql();
  const superuser = new pg.Client(url);
  await superuser.connect();
  onTestFinished(() => superuser.end());
  for (const statement of [
    `CREATE ROLE parley LOGIN PASSWORD 'secret'`,
    'CREATE DATABASE parley OWNER parley',
    ...blockOf('sql'),
  ])
    await superuser.query(statement);
  const direct = new URL(url);
  Object.assign(direct, { username: 'parley', pathname: '/parley' });
  const pooled = await startPgbouncer(direct.href, [
    ...settings,
    `pool_mode = ${mode}`,
    ...(mode === 'transaction' ? [`default_pool_size = ${SERVER_CONNECTIONS}`] : ['default_pool_size = 100']),
    'max_client_conn = 200',
  ]);
  return { superuser, direct: direct.href, pooled };
}

async function startServers(databaseUrl: string, sweepIntervalMs: number) {
  const options = { databaseUrl, sweepIntervalMs, migrateOnStart: false };
  return [await startListening(options), await startListening(options)] as const;
}

type Server = Awaited<ReturnType<typeof startServers>>[number];

const save = (server: Server, chatId: string, id: string) =>
  server.ask(
    `mutation ($chatId: ID!, $id: ID!) {
      saveMessages(input: { chatId: $chatId, messages: [{ id: $id, name: "user", content: { text: "Hello" } }] }) { __typename }
    }`,
    { chatId, id },
  );

describe.skipIf(noPgbouncer !== '')(`PgBouncer${noPgbouncer}`, () => {
  it.for([
    ['session', ''],
    ['transaction', '?pgbouncer=true'],
  ] as const)('two servers save, read and follow chats in %s mode', async ([mode, parameters]) => {
    const { superuser, direct, pooled } = await startPooled(mode);
    const migrated = await runHere('migrate', migrate, [], { environment: { DATABASE_URL: direct } });
    expect(migrated).toMatchObject({ code: 0, error: [] });
    // Notifications cannot pass in transaction mode: there, sweeps find the changes.
    const servers = await startServers(pooled + parameters, mode === 'session' ? HOUR_MS : 20);
    const [one, other] = servers;
    const chats = Array.from({ length: 10 }, (_, n) => `c${n}`);
    for (const id of chats)
      await one.ask('mutation ($id: ID!) { createChat(input: { id: $id }) { __typename } }', { id });
    const stream = await openStream(one, HEAD);
    expect(await stream.next()).toMatchObject({ data: { branchHead: { head: null } } });
    expect(await save(other, 'c0', 'first')).toMatchObject({
      data: { saveMessages: { __typename: 'SaveMessagesPayload' } },
    });
    expect(await stream.next()).toMatchObject({ data: { branchHead: { head: { id: 'first' } } } });

    const ids = Array.from({ length: MESSAGES }, (_, n) => n);
    const saved = await Promise.all(
      chats.flatMap((chat) => ids.map((n) => save(servers[n % 2]!, chat, `${chat}-${n}`))),
    );
    expect(new Set(saved.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set(['{"data":{"saveMessages":{"__typename":"SaveMessagesPayload"}}}']),
    );
    const chainOf = async (id: string, n: number) => {
      const { data } = await servers[n % 2]!.ask(CHAIN, { id });
      const { chat } = data as { chat: { activeBranch: { chain: { id: string }[] } } };
      return chat.activeBranch.chain.map((message) => message.id).sort();
    };
    const expected = chats.map((chat) =>
      [...ids.map((n) => `${chat}-${n}`), ...(chat === 'c0' ? ['first'] : [])].sort(),
    );
    expect(await Promise.all(chats.map(chainOf))).toEqual(expected);
    const { rows } = await superuser.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM pg_stat_activity WHERE usename = 'parley'`,
    );
    if (mode === 'transaction') expect(rows[0]!.count).toBeLessThanOrEqual(SERVER_CONNECTIONS);
    expect([...one.unexpectedErrors.values(), ...other.unexpectedErrors.values()]).toEqual([]);
  });

  it('refuses connections with startup options, unless the URL empties them', async () => {
    const { pooled } = await startPooled('transaction', []);
    const migrateThrough = (parameters: string) =>
      runHere('migrate', migrate, [], { environment: { DATABASE_URL: `${pooled}?pgbouncer=true${parameters}` } });
    const refused = await migrateThrough('');
    expect([refused.code, refused.error]).toEqual([
      1,
      [expect.stringContaining('unsupported startup parameter: options')],
    ]);
    expect(await migrateThrough('&options=')).toMatchObject({ code: 0, error: [] });
  });
});
