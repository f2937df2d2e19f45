import type { Sql } from 'sql-template-tag';
import type { ConnectionOptions, Provider } from '../connection/connection.js';
import { inScope } from '../connection/pipeline.js';
import type { ServerUrl } from '../connection/database-url.js';
import { askFullTextIndex } from '../dialects/sqlserver/full-text.js';
import { sqlserver } from '../dialects/sqlserver/sqlserver.js';
import { TurnBudget } from '../../scheduler/turn-budget.js';
import { pooledConnection } from './pooled.js';
import { connectPool, watchPool, type Pool, type RequestOptions } from './sqlserver-pool.js';
import { queryableOf } from './sqlserver-queryable.js';
import { CONNECT_TIMEOUT_MS } from './sqlserver-settings.js';

/** How much later than a lock's timeout a change's own timeout ends it, in milliseconds. */
const LOCK_GRACE_MS = 1_000;

export async function openSqlServer(
  url: ServerUrl,
  { shareOfAUser, onStatement, statementTimeouts }: ConnectionOptions,
): Promise<Provider> {
  const poolSize = Math.floor(url.connectionLimit / 2);
  const dialect = sqlserver(url.schema, { hasFullTextIndex: await hasFullTextIndex(url) });
  const [read, change] = [requestTimeout(statementTimeouts?.readMs), requestTimeout(statementTimeouts?.writeMs)];
  const pools: Pool[] = [];
  const connect = async (settings: Parameters<typeof connectPool>[1], lockTimeoutMs?: number) => {
    const pool = await connectPool(url, settings, lockTimeoutMs);
    pools.push(pool);
    return pool;
  };
  const close = () => Promise.all(pools.map((pool) => pool.close()));
  try {
    const writer = await connect({ connectionLimit: poolSize }, statementTimeouts?.writeMs);
    const reader = await connect({ connectionLimit: poolSize });
    // Health checks must not wait for locks.
    const health = await connect({ connectionLimit: 1, socketTimeout: CONNECT_TIMEOUT_MS });
    const cutOffs = [writer, reader].map(watchPool);
    return pooledConnection({
      sql: dialect,
      reader: (signal) => queryableOf(() => reader.request(read), { kind: 'read', onStatement, signal }),
      healthCheckConnection: queryableOf(() => health.request(), { kind: 'read', onStatement }),
      transaction: async (job) => {
        const transaction = writer.transaction(change && { requestTimeout: change.requestTimeout + LOCK_GRACE_MS });
        await transaction.begin();
        const { _acquiredConnection: connection } = transaction;
        const db = queryableOf(() => transaction.request(), { kind: 'change', onStatement });
        const { yieldIfDue } = new TurnBudget();
        const last: Sql[] = [];
        try {
          const begun = { db, last, yieldIfDue, isPipelined: false, directory: undefined };
          const result = await inScope(begun, job);
          for (const statement of last) await db.run(statement);
          await transaction.commit();
          return result;
        } catch (error) {
          await transaction.rollback().catch(({ code }: { code?: string }) => {
            // Unless the server has ended the transaction, it may still be open on the released connection.
            if (code !== 'EABORT') connection?.close();
          });
          throw error;
        }
      },
      poolSize,
      shareOfAUser,
      ping: () => answers(url),
      // Pending statements would otherwise keep their pool slot until the system's TCP timeout.
      cutOff: () => cutOffs.forEach((cutOff) => cutOff()),
      close,
    });
  } catch (error) {
    await close();
    throw error;
  }
}

function requestTimeout(ms: number | undefined): RequestOptions | undefined {
  return ms === undefined ? undefined : { requestTimeout: ms };
}

async function hasFullTextIndex(url: ServerUrl): Promise<boolean> {
  const pool = await connectPool(url);
  try {
    await pool.request().query(askFullTextIndex(url.schema));
    return true;
  } catch {
    // Without the index, LIKE is used.
    return false;
  } finally {
    await pool.close();
  }
}

async function answers(url: ServerUrl): Promise<boolean> {
  try {
    const pool = await connectPool(url, { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: CONNECT_TIMEOUT_MS });
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
