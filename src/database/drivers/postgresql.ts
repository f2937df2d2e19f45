import pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import type { Connection, ConnectionOptions, Provider, Queryable } from '../connection/connection.js';
import { observed, type StatementDetails } from '../connection/observed-statement.js';
import { inScope } from '../connection/pipeline.js';
import type { ServerUrl } from '../connection/database-url.js';
import { openForm } from '../connection/schema-form.js';
import { runsOf } from '../dialects/postgresql/runs.js';
import { PREPARED } from '../dialects/postgresql/differences.js';
import { isReadOnly, refusal } from '../dialects/postgresql/failure.js';
import { postgresql } from '../dialects/postgresql/postgresql.js';
import { TurnBudget } from '../../scheduler/turn-budget.js';
import { internalsOf } from './pg-internals.js';
import { pooledConnection } from './pooled.js';
import { cancellableQuery } from './postgresql-cancel.js';
import { PostgresqlChanges } from './postgresql-changes.js';
import { PostgresqlTransaction, type Ask } from './postgresql-transaction.js';

export const CONNECT_TIMEOUT_MS = 4_000;
/** Seconds after which health checks use a new session, which has the settings that the database has changed. */
const HEALTH_SESSION_SECONDS = 30;

export async function openPostgresql(
  url: ServerUrl,
  { statementTimeouts, shareOfAUser, onStatement }: ConnectionOptions,
): Promise<Provider> {
  const poolSize = Math.floor(url.connectionLimit / 2);
  const busy = new Set<pg.PoolClient>();
  const connect = (settings: pg.PoolConfig): pg.Pool => connectPool({ max: poolSize, ...settings }, busy);
  const reader = connect(postgresqlSettings(url, statementTimeouts?.readMs));
  // Health checks must not wait for locks.
  const healthSettings = { ...postgresqlSettings(url), query_timeout: CONNECT_TIMEOUT_MS };
  const healthCheckConnection = connect({ ...healthSettings, max: 1, maxLifetimeSeconds: HEALTH_SESSION_SECONDS });
  const askOf = (client: pg.Pool | pg.PoolClient, kind: StatementDetails['kind']): Ask =>
    askOn(client, { kind, canPrepare: url.canPrepare, onStatement });
  const askWhile =
    (signal: AbortSignal): Ask =>
    (statement) =>
      cancellableQuery(reader, signal, (client) => askOf(client, 'read')(statement));
  const committing = queryable(askOf(reader, 'change'));
  const form = await openForm(healthCheckConnection, committing).catch(async (error: unknown) => {
    await Promise.all([reader.end(), healthCheckConnection.end()]);
    throw error;
  });
  const writing = postgresqlSettings(url, statementTimeouts?.writeMs, form?.sessionOptions);
  const writer = connect({ ...writing, pipeline: true });
  const changes = new PostgresqlChanges(healthSettings, () => isReadOnlySession(healthCheckConnection));
  return pooledConnection({
    sql: form?.sql ?? postgresql,
    reader: (signal) => queryable(signal === undefined ? askOf(reader, 'read') : askWhile(signal)),
    healthCheckConnection: queryable(askOf(healthCheckConnection, 'read')),
    form,
    outcome: (next) => (job) => changes.note(() => next(job)),
    transaction: async (job) => {
      const client = await writer.connect();
      const tx = new PostgresqlTransaction(client, askOf(client, 'change'));
      const { yieldIfDue } = new TurnBudget();
      try {
        const result = await inScope(
          { db: tx, last: tx.last, yieldIfDue, isPipelined: true, directory: form?.directory },
          job,
        );
        await tx.commit();
        client.release();
        return result;
      } catch (error) {
        const isReusable = await tx.rollBack();
        client.release(!isReusable || isReadOnly(error));
        throw error;
      }
    },
    takesChanges: () => changes.areTaken(),
    refusal,
    poolSize,
    shareOfAUser,
    ping: () => answers(url),
    // Pending statements would otherwise keep their pool slot until the system's TCP timeout.
    cutOff: () => disconnect(busy),
    close: () => Promise.all([writer.end(), reader.end(), healthCheckConnection.end()]),
  });
}

/** Also on a standby. False when the server has no connection left: others may accept changes. */
async function isReadOnlySession(pool: pg.Pool): Promise<boolean> {
  const statement = `SELECT current_setting('transaction_read_only') AS value`;
  return pool.query<{ value: string }>(statement).then(
    ({ rows: [row] }) => row?.value === 'on',
    () => false,
  );
}

/**
 * A pool of connections.
 * @param busy receives the clients in use
 * @param onBroken called when a connection fails
 */
export function connectPool(settings: pg.PoolConfig, busy: Set<pg.PoolClient>, onBroken = () => {}): pg.Pool {
  const pool = new pg.Pool(settings);
  // Broken connections reject their statements. An unhandled 'error' event would end the process.
  pool.on('error', onBroken);
  pool.on('connect', (client) => client.on('error', onBroken));
  pool.on('acquire', (client) => busy.add(client));
  pool.on('release', (_error, client) => busy.delete(client));
  return pool;
}

/** Closes connections at once, which fails their statements. */
export function disconnect(clients: ReadonlySet<pg.PoolClient>): void {
  for (const client of clients) internalsOf(client).connection.stream.destroy();
}

interface AskOptions extends Pick<ConnectionOptions, 'onStatement'> {
  kind: StatementDetails['kind'];
  canPrepare: boolean;
}

/** Sends statements to a client, or to any connection of a pool. */
export function askOn(client: pg.Pool | pg.PoolClient, { kind, canPrepare, onStatement }: AskOptions): Ask {
  return async ({ text, values }) => {
    const name = canPrepare ? nameOfStatement(text) : undefined;
    const run = (values: unknown[]) =>
      observed(onStatement, kind, text, () => client.query<object>({ text, values, ...(name && { name }) }));
    const [first = [], ...others] = runsOf(values);
    const result = await run(first);
    // Not as arguments of push(): their number is limited.
    for (const each of others) for (const row of (await run(each)).rows) result.rows.push(row);
    return result;
  };
}

export function queryable(ask: Ask): Queryable {
  return {
    rows: async <T extends object>(statement: Sql) => (await ask(statement)).rows as T[],
    run: async (statement) => (await ask(statement)).rowCount ?? 0,
  };
}

/** Parses BIGINT, which the driver returns as text: Parley's times and counts fit a double. */
const BIGINT = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (Number(oid) === BIGINT ? Number : (pg.types.getTypeParser(oid, format) as never)),
};

/** Names by text: as many as the dialect has statements. */
const statements = new Map<string, string>();

/**
 * Names the statements that the dialect marks, so that each connection prepares them once: planning a walk costs as much as
 * 100 messages, and planning a lookup costs more than its execution. Lists and searches in several chats have no mark:
 * their plans depend on values.
 */
function nameOfStatement(text: string): string | undefined {
  if (!text.includes(PREPARED)) return undefined;
  let name = statements.get(text);
  if (name === undefined) {
    name = `parley${statements.size}`;
    statements.set(text, name);
  }
  return name;
}

/**
 * The settings of every connection.
 * @param statementTimeoutMs 0 for none; also none for poolers that accept no options
 * @param more options
 */
export function postgresqlSettings(
  { url, schema, options }: ServerUrl,
  statementTimeoutMs = 0,
  more = '',
): pg.ClientConfig {
  const timeout = statementTimeoutMs === 0 ? '' : `-c statement_timeout=${statementTimeoutMs} `;
  return {
    connectionString: url,
    application_name: 'parley',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types,
    // Statements are short, but the planner overestimates recursive ones and would JIT-compile them. Prepared plans of small
    // tables would keep a sequential scan while the tables grow.
    ...(options === null
      ? {}
      : { options: `-c jit=off -c enable_seqscan=off -c search_path="${schema}" ${timeout}${more}${options}`.trim() }),
  };
}

/**
 * Statements use the search path, migrations the schema.
 * @throws Error when the two differ
 */
export async function checkSearchPath({ schema }: ServerUrl, { read }: Pick<Connection, 'read'>): Promise<void> {
  const [row] = await read((db) => db.rows<{ name: string | null }>(sql`SELECT current_schema() AS name`));
  if (row?.name === schema) return;
  throw new Error(
    `its search_path leads to the schema "${row?.name ?? ''}" and not to "${schema}": see Poolers in docs/databases.md`,
  );
}

/** Runs work on a connection of its own. Without a COMMIT, everything is rolled back. */
export async function withClient<T>(url: ServerUrl, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(postgresqlSettings(url));
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Whether the server responds, even if it has no connection left. */
export async function answers(url: ServerUrl): Promise<boolean> {
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
    // Not awaited: closing a hanging connection does not settle.
    void client?.end().catch(() => {});
  }
}
