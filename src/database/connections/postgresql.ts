import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../../generated/postgresql/client.js';
import {
  TOLD_STATEMENTS,
  tellStatements,
  type Client,
  type Connection,
  type ConnectionOptions,
} from '../connection.js';
import type { ServerUrl } from '../database-url.js';
import { postgresql } from '../dialects/postgresql.js';
import { pooledConnection } from './pooled.js';

/** How long to wait for a connection, in milliseconds. */
const CONNECT_TIMEOUT_MS = 4_000;

/** Opens a migrated database. */
export function openPostgresql(url: ServerUrl, { onStatement }: ConnectionOptions): Connection {
  const poolSize = Math.floor(url.connectionLimit / 2);
  const connect = (): Client => {
    const adapter = new PrismaPg(
      { ...postgresqlSettings(url), max: poolSize },
      { schema: url.schema, ...(url.canPrepare ? { statementNameGenerator: nameOfStatement } : {}) },
    );
    // The models are the same but for the metadata of chats, which only the dialect touches: see connection.ts.
    if (onStatement === undefined) return new PrismaClient({ adapter }) as unknown as Client;
    const client = new PrismaClient({ adapter, ...TOLD_STATEMENTS });
    tellStatements(client, onStatement);
    return client as unknown as Client;
  };
  return pooledConnection({
    sql: postgresql,
    writer: connect(),
    reader: connect(),
    poolSize,
    ping: () => answers(url),
  });
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

/** The settings of every connection. */
export function postgresqlSettings({ url, schema }: ServerUrl): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'parley',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    // Every statement is short, but the costs that the planner expects of recursive ones would have it compile them.
    options: `-c jit=off -c search_path=${schema}`,
  };
}

/** Whether the server says anything at all; also that it has no connection left. */
async function answers(url: ServerUrl): Promise<boolean> {
  const client = new pg.Client({ ...postgresqlSettings(url), query_timeout: CONNECT_TIMEOUT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch (error) {
    return /^53/.test(String((error as { code?: unknown }).code));
  } finally {
    // Not waited for: a connection that hangs does not end.
    void client.end().catch(() => {});
  }
}
