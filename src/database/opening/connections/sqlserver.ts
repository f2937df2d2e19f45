import { PrismaMssql } from '@prisma/adapter-mssql';
import { PrismaClient } from '../../../generated/sqlserver/client.js';
import { createClient, type Client, type Connection, type ConnectionOptions } from '../connection.js';
import type { ServerUrl } from '../database-url.js';
import { askFullTextIndex } from '../../dialects/sqlserver-full-text.js';
import { sqlserver } from '../../dialects/sqlserver.js';
import { pooledConnection } from './pooled.js';

/** How long to wait for a connection, in milliseconds. */
const CONNECT_TIMEOUT_MS = 4_000;

/** Opens a migrated database. */
export async function openSqlServer(url: ServerUrl, options: ConnectionOptions): Promise<Connection> {
  const poolSize = Math.floor(url.connectionLimit / 2);
  const connect = (): Client => {
    const adapter = new PrismaMssql(sqlServerSettings(url, poolSize), { schema: url.schema });
    return createClient(PrismaClient, adapter, options);
  };
  const sql = sqlserver(url.schema, { hasFullTextIndex: await hasFullTextIndex(url) });
  return pooledConnection({ sql, writer: connect(), reader: connect(), poolSize, ping: () => answers(url) });
}

/** The connection string, with a number of connections and with times to wait where it names none of its own. */
function sqlServerSettings({ url }: ServerUrl, poolSize: number): string {
  const given = url.replace(/;\s*connectionLimit\s*=[^;]*/i, '');
  const defaults = [
    `connectionLimit=${poolSize}`,
    `connectionTimeout=${CONNECT_TIMEOUT_MS}`,
    // Long answers take their time; a server that does not answer is noticed otherwise (availability.ts).
    'socketTimeout=600000',
    'applicationName=parley',
  ].filter((each) => !new RegExp(`;\\s*${each.split('=')[0] ?? ''}\\s*=`, 'i').test(given));
  return [given.replace(/;$/, ''), ...defaults].join(';');
}

/** The driver's own pool, for what goes around Prisma. Whoever takes it closes it. */
export async function connectPool(url: ServerUrl): Promise<Pool> {
  const adapter = await new PrismaMssql(sqlServerSettings(url, 1)).connect();
  // mssql's ConnectionPool: the adapter's types leave its own open.
  return (adapter as unknown as { underlyingDriver(): Pool }).underlyingDriver();
}

/** What is used of mssql's ConnectionPool. */
export interface Pool {
  request(): Request;
  transaction(): { begin(): Promise<unknown>; commit(): Promise<void>; rollback(): Promise<void>; request(): Request };
  close(): Promise<void>;
}

export interface Request {
  input(name: string, value: unknown): Request;
  query<Row>(sql: string): Promise<{ recordset: Row[] }>;
  batch<Row>(sql: string): Promise<{ recordset: Row[] }>;
}

async function hasFullTextIndex(url: ServerUrl): Promise<boolean> {
  const pool = await connectPool(url);
  try {
    await pool.request().query(askFullTextIndex(url.schema));
    return true;
  } catch {
    // There is none: LIKE serves.
    return false;
  } finally {
    await pool.close();
  }
}

/** Whether the server says anything at all. */
async function answers(url: ServerUrl): Promise<boolean> {
  try {
    const pool = await connectPool({ ...url, url: `${url.url.replace(/;$/, '')};socketTimeout=${CONNECT_TIMEOUT_MS}` });
    try {
      await pool.request().query('SELECT 1 AS one');
      return true;
    } finally {
      void pool.close();
    }
  } catch {
    return false;
  }
}
