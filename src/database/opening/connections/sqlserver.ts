import { PrismaMssql } from '@prisma/adapter-mssql';
import type { Sql } from 'sql-template-tag';
import type { Connection, ConnectionOptions, Queryable } from '../connection.js';
import { observed, type StatementDetails, type TellStatement } from '../observed-statement.js';
import { inScope } from '../transaction-scope.js';
import type { ServerUrl } from '../database-url.js';
import { askFullTextIndex } from '../../dialects/sqlserver/full-text.js';
import { sqlserver } from '../../dialects/sqlserver/sqlserver.js';
import { Pauses } from '../pauses.js';
import { pooledConnection } from './pooled.js';

/** How long to wait for a connection, in milliseconds. */
const CONNECT_TIMEOUT_MS = 4_000;

/** Opens a migrated database. */
export async function openSqlServer(
  url: ServerUrl,
  { shareOfAUser, onStatement }: ConnectionOptions,
): Promise<Connection> {
  const poolSize = Math.floor(url.connectionLimit / 2);
  const dialect = sqlserver(url.schema, { hasFullTextIndex: await hasFullTextIndex(url) });
  const writer = await connectPool(url, poolSize);
  const reader = await connectPool(url, poolSize).catch(async (error: unknown) => {
    await writer.close();
    throw error;
  });
  return pooledConnection({
    sql: dialect,
    reader: () => queryable(() => reader.request(), 'read', onStatement),
    transaction: async (work) => {
      const transaction = writer.transaction();
      await transaction.begin();
      const tx = queryable(() => transaction.request(), 'change', onStatement);
      const pauses = new Pauses();
      const last: Sql[] = [];
      try {
        const giveWay = () => pauses.giveWay();
        const result = await inScope({ ...tx, giveWay, runLast: (statement) => last.push(statement) }, work);
        for (const statement of last) await tx.run(statement);
        await transaction.commit();
        return result;
      } catch (error) {
        // Some errors end the transaction by themselves, and then there is nothing to roll back.
        await transaction.rollback().catch(() => {});
        throw error;
      }
    },
    poolSize,
    shareOfAUser,
    ping: () => answers(url),
    close: () => Promise.all([writer.close(), reader.close()]),
  });
}

function queryable(
  request: () => Request,
  kind: StatementDetails['kind'],
  onStatement: TellStatement | undefined,
): Queryable {
  const ask = ({ strings, values }: Sql) => {
    const text = strings.reduce((sql, part, n) => `${sql}@P${n}${part}`);
    const withValues = values.reduce<Request>((made, value, n) => made.input(`P${n + 1}`, value), request());
    return observed(onStatement, kind, text, () => withValues.query<object>(text));
  };
  return {
    rows: async <T extends object>(statement: Sql) => (await ask(statement)).recordset as T[],
    run: async (statement) => (await ask(statement)).rowsAffected[0] ?? 0,
  };
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

/** A pool of the driver's own, which Prisma's adapter makes of a URL of Prisma's. Whoever takes it closes it. */
export async function connectPool(url: ServerUrl, poolSize = 1): Promise<Pool> {
  const adapter = await new PrismaMssql(sqlServerSettings(url, poolSize)).connect();
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
  query<Row>(sql: string): Promise<{ recordset: Row[]; rowsAffected: number[] }>;
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
