import type { Socket } from 'node:net';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../../../generated/postgresql/client.js';
import { createClient, type Client, type Connection, type ConnectionOptions } from '../connection.js';
import type { ServerUrl } from '../database-url.js';
import { postgresql } from '../../dialects/postgresql.js';
import { pooledConnection } from './pooled.js';

/** How long to wait for a connection, in milliseconds. */
const CONNECT_TIMEOUT_MS = 4_000;

/** Opens a migrated database. */
export function openPostgresql(url: ServerUrl, options: ConnectionOptions): Connection {
  const poolSize = Math.floor(url.connectionLimit / 2);
  const busy = new Set<pg.PoolClient>();
  const connect = (statementTimeoutMs = 0): Client => {
    const pool = new pg.Pool({ ...postgresqlSettings(url, statementTimeoutMs), max: poolSize });
    pool.on('acquire', (client) => busy.add(client));
    pool.on('release', (_error, client) => busy.delete(client));
    const adapter = new PrismaPg(pool, {
      schema: url.schema,
      disposeExternalPool: true,
      ...(url.canPrepare ? { statementNameGenerator: nameOfStatement } : {}),
    });
    return createClient(PrismaClient, adapter, options);
  };
  return pooledConnection({
    sql: postgresql,
    writer: connect(options.statementTimeouts?.writeMs),
    reader: connect(options.statementTimeouts?.readMs),
    poolSize,
    ping: () => answers(url),
    // What waits on them would wait until the system gives up, and take its place in the pool as long.
    cutOff: () => busy.forEach(destroy),
  });
}

/** As if the network had cut it: whatever waits for an answer on it fails. */
function destroy(client: pg.PoolClient): void {
  // The driver has no other way, and its types leave this one out.
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
}

/** Names of statements by their text: there are as many as the dialect has. */
const names = new Map<string, string>();

/**
 * Names walks, and the changes of a save, so that each connection prepares them once: to plan a walk takes as long as to
 * walk a hundred messages. The others are planned at once; some, as Prisma's own, have a text for every number of rows,
 * and for a search the best plan depends on the words.
 *
 * @returns '' for those without a name
 */
function nameOfStatement({ sql }: { sql: string }): string {
  if (!/^\s*WITH (RECURSIVE|changed)/.test(sql)) return '';
  let name = names.get(sql);
  if (name === undefined) {
    name = `parley${names.size}`;
    names.set(sql, name);
  }
  return name;
}

/**
 * The settings of every connection.
 * @param statementTimeoutMs 0 for none; behind a pooler that takes no options there is none
 */
export function postgresqlSettings({ url, schema, options }: ServerUrl, statementTimeoutMs = 0): pg.ClientConfig {
  const timeout = statementTimeoutMs === 0 ? '' : `-c statement_timeout=${statementTimeoutMs} `;
  return {
    connectionString: url,
    application_name: 'parley',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // Every statement is short, but the costs that the planner expects of recursive ones would have it compile them.
    ...(options === null ? {} : { options: `-c jit=off -c search_path="${schema}" ${timeout}${options}`.trim() }),
  };
}

/**
 * Statements find their tables by the search path, and Prisma by the schema.
 * @throws Error when they would not find the same
 */
export async function checkSearchPath({ schema }: ServerUrl, { read }: Pick<Connection, 'read'>): Promise<void> {
  const [row] = await read((client) => client.$queryRaw<{ name: string | null }[]>`SELECT current_schema() AS name`);
  if (row?.name === schema) return;
  throw new Error(
    `its search_path leads to the schema "${row?.name ?? ''}" and not to "${schema}": see Poolers in docs/databases.md`,
  );
}

/** Whether the server says anything at all; also that it has no connection left. */
async function answers(url: ServerUrl): Promise<boolean> {
  let client: pg.Client | undefined;
  try {
    client = new pg.Client({ ...postgresqlSettings(url), query_timeout: CONNECT_TIMEOUT_MS });
    client.on('error', () => {});
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch (error) {
    return /^53/.test(String((error as { code?: unknown }).code));
  } finally {
    // Not waited for: a connection that hangs does not end.
    void client?.end().catch(() => {});
  }
}
