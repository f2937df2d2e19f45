import type { Sql } from 'sql-template-tag';
import type { Connection, ConnectionOptions, Queryable } from '../connection.js';
import { observed, type StatementDetails, type TellStatement } from '../observed-statement.js';
import { inScope } from '../transaction-scope.js';
import type { ServerUrl } from '../database-url.js';
import { askFullTextIndex } from '../../dialects/sqlserver/full-text.js';
import { sqlserver } from '../../dialects/sqlserver/sqlserver.js';
import { TurnBudget } from '../../../scheduler/turn-budget.js';
import { pooledConnection } from './pooled.js';
import { connectPool, watchPool, type RecordSet, type Request } from './sqlserver-pool.js';
import { CONNECT_TIMEOUT_MS } from './sqlserver-settings.js';

/** Opens a migrated database. */
export async function openSqlServer(
  url: ServerUrl,
  { shareOfAUser, onStatement }: ConnectionOptions,
): Promise<Connection> {
  const poolSize = Math.floor(url.connectionLimit / 2);
  const dialect = sqlserver(url.schema, { hasFullTextIndex: await hasFullTextIndex(url) });
  const writer = await connectPool(url, { connectionLimit: poolSize });
  const reader = await connectPool(url, { connectionLimit: poolSize }).catch(async (error: unknown) => {
    await writer.close();
    throw error;
  });
  const cutOffs = [writer, reader].map(watchPool);
  return pooledConnection({
    sql: dialect,
    reader: () => queryable(() => reader.request(), 'read', onStatement),
    transaction: async (work) => {
      const transaction = writer.transaction();
      await transaction.begin();
      const tx = queryable(() => transaction.request(), 'change', onStatement);
      const { yieldIfDue } = new TurnBudget();
      const last: Sql[] = [];
      try {
        const result = await inScope({ ...tx, yieldIfDue, runLast: (statement) => last.push(statement) }, work);
        for (const statement of last) await tx.run(statement);
        await transaction.commit();
        return result;
      } catch (error) {
        // Some errors end the transaction themselves, so there is nothing to roll back.
        await transaction.rollback().catch(() => {});
        throw error;
      }
    },
    poolSize,
    shareOfAUser,
    ping: () => answers(url),
    // Pending statements would otherwise keep their pool slot until the system's TCP timeout.
    cutOff: () => cutOffs.forEach((cutOff) => cutOff()),
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
    rows: async <T extends object>(statement: Sql) => withNumbers((await ask(statement)).recordset) as T[],
    run: async (statement) => (await ask(statement)).rowsAffected[0] ?? 0,
  };
}

/**
 * Converts BIGINT columns in place: the driver returns them as text, and Parley's times and counts fit a double.
 * A statement without a result set has no records.
 */
function withNumbers(records: RecordSet<object> | undefined): object[] {
  if (!records) return [];
  const columns = Object.values(records.columns ?? {}).filter(({ type }) => type.declaration === 'bigint');
  for (const row of records as Record<string, unknown>[]) {
    for (const { name } of columns) if (row[name] !== null) row[name] = Number(row[name]);
  }
  return records;
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

/** Whether the server responds at all. */
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
