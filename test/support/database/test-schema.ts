/** Removes the schemas of tests from the configured database server; migrations create them. */
import pg from 'pg';
import { tablesWith } from '../../../src/conversation/table-rules.js';
import { connectPool, type Pool } from '../../../src/database/drivers/sqlserver-pool.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/connection/database-url.js';

/** The URL of a schema in a database, regardless of the schema in the database's URL. */
export function urlOfSchema(schema: string, serverUrl: string): string {
  if (serverUrl.startsWith('sqlserver:')) {
    return `${serverUrl.replace(/;\s*schema\s*=[^;]*/i, '').replace(/;+$/, '')};schema=${schema}`;
  }
  const url = new URL(serverUrl);
  url.searchParams.set('schema', schema);
  return url.href;
}

export async function schemasBeginningWith(prefix: string, serverUrl: string): Promise<string[]> {
  const names = await onServer(serverUrl, {
    postgresql: async (client) =>
      (await client.query<{ name: string }>('SELECT nspname AS name FROM pg_namespace')).rows,
    sqlserver: async (pool) => (await pool.request().query<{ name: string }>('SELECT name FROM sys.schemas')).recordset,
  });
  return names.map(({ name }) => name).filter((name) => name.startsWith(prefix));
}

/** Removes a schema and its content. */
export async function dropSchema(schema: string, serverUrl: string): Promise<void> {
  await onServer(serverUrl, {
    postgresql: async (client) => void (await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)),
    sqlserver: (pool) => dropSqlServerSchema(pool, schema),
  });
}

/** Those that reference others first. */
const TABLES_WITHOUT_CHATS = [...tablesWith({ rowsOf: 'user' }), ...tablesWith({ rowsOf: 'installation' })].filter(
  (table) => table !== 'search_index',
);

/** A table of at most 10 pages is planned like a new one. */
const MAX_DELETED_BYTES = 10 * 8192;

/** Removes all chats and files of a PostgreSQL schema. */
export async function emptySchema(schema: string, serverUrl: string, isDistributed = false): Promise<void> {
  await withClient(serverUrl, (client) => (isDistributed ? emptyDistributed : emptyOrdinary)(client, schema));
}

/** Changes only the tables that have had rows, and truncates large ones only: truncating a table creates its files anew. */
async function emptyOrdinary(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ name: string; isSmall: boolean }>(
    `SELECT oid::regclass AS name, pg_table_size(oid) <= ${MAX_DELETED_BYTES} AS "isSmall" FROM pg_class
     WHERE relkind = 'r' AND relnamespace = '"${schema}"'::regnamespace AND pg_relation_size(oid) > 0
       AND relname NOT IN ('_prisma_migrations', 'search_index')`,
  );
  const names = rows.map(({ name }) => name);
  if (names.length === 0) return;
  // Without foreign keys, which tests of damaged references violate.
  const deletions = ['SET LOCAL session_replication_role = replica', ...names.map((name) => `DELETE FROM ${name}`)];
  const isSmall = rows.every((row) => row.isSmall);
  await client.query(isSmall ? deletions.join(';') : `TRUNCATE ${names.join()} CASCADE`);
}

async function emptyDistributed(client: pg.Client, schema: string): Promise<void> {
  // Tests that damage references leave rows without chats in partitions.
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'p' AND relnamespace = $1::regnamespace AND relname NOT IN ('chats', 'user_chats', 'id_directory')`,
    [schema],
  );
  const partitioned = rows.map(({ name }) => name);
  // Each in its own transaction: Citus refuses some of them in one.
  for (const table of ['chats', ...partitioned, ...TABLES_WITHOUT_CHATS, 'id_directory']) {
    await client.query(`DELETE FROM "${schema}"."${table}"`);
  }
  // The lists of users stay complete.
  await client.query(`DELETE FROM "${schema}"."user_chats" WHERE "userId" <> ''`);
}

/** SQL Server drops a schema only if it is empty, and a table only if no foreign key references it. */
async function dropSqlServerSchema(pool: Pool, schema: string): Promise<void> {
  const query = async (sql: string) => (await pool.request().query<{ name: string; within: string }>(sql)).recordset;
  const keys = await query(`
    SELECT CONSTRAINT_NAME AS name, TABLE_NAME AS [within] FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS
    WHERE TABLE_SCHEMA = N'${schema}' AND CONSTRAINT_TYPE = N'FOREIGN KEY'`);
  for (const { name, within } of keys) await query(`ALTER TABLE [${schema}].[${within}] DROP CONSTRAINT [${name}]`);
  const tables = await query(`
    SELECT TABLE_NAME AS name, TABLE_SCHEMA AS [within] FROM INFORMATION_SCHEMA.TABLES
    WHERE TABLE_SCHEMA = N'${schema}' AND TABLE_TYPE = N'BASE TABLE'`);
  for (const { name } of tables) await query(`DROP TABLE [${schema}].[${name}]`);
  // The full-text catalog outlives its table. A server without full-text search fails the statement.
  const catalog = `parley_${schema}`;
  await query(`
    IF EXISTS (SELECT 1 FROM sys.fulltext_catalogs WHERE [name] = N'${catalog}')
      EXEC(N'DROP FULLTEXT CATALOG [${catalog}]')`).catch(() => []);
  const schemas = await query(`SELECT name, name AS [within] FROM sys.schemas WHERE name = N'${schema}'`);
  if (schemas.length > 0) await query(`DROP SCHEMA [${schema}]`);
}

async function onServer<T>(
  serverUrl: string,
  work: { postgresql: (client: pg.Client) => Promise<T>; sqlserver: (pool: Pool) => Promise<T> },
): Promise<T> {
  const url = parseDatabaseUrl(serverUrl) as ServerUrl;
  if (url.provider === 'sqlserver') {
    const pool = await connectPool(url);
    try {
      return await work.sqlserver(pool);
    } finally {
      await pool.close();
    }
  }
  return withClient(url.url, work.postgresql);
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return work(await (sessions.get(url) ?? openSession(url)));
}

/** Sessions of this process by URL: each test would open another, which takes 7 ms of a processor. */
const sessions = new Map<string, Promise<pg.Client>>();

function openSession(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // The server may end before this process.
  client.on('error', () => sessions.delete(url));
  const opened = client.connect().then(() => {
    (client as pg.Client & { unref(): void }).unref();
    return client;
  });
  sessions.set(url, opened);
  opened.catch(() => sessions.delete(url));
  return opened;
}
