/** Direct access to a database, without Parley. */
import Database from 'better-sqlite3';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { TABLES } from '../../../src/conversation/tables.js';
import { connectPool } from '../../../src/database/drivers/sqlserver-pool.js';
import { postgresqlSettings } from '../../../src/database/drivers/postgresql.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/connection/database-url.js';
import { tableAt } from './all-rows.js';
import { distribution, isDistributed } from './database-kind.js';

export interface RawDatabase {
  /** Runs any number of statements. */
  run(sql: string): Promise<void>;
  /** The rows of one statement. */
  rows<Row = Record<string, unknown>>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The tables of Parley, as named in statements. */
  tables(): Promise<string[]>;
}

/** Opens an existing SQLite file or a schema of a database server, until the end of the test. */
export async function rawDatabase(url: string): Promise<RawDatabase> {
  const parsed = parseDatabaseUrl(url);
  if (parsed.provider === 'sqlite') {
    const file = new Database(parsed.path, { fileMustExist: true });
    onTestFinished(() => void file.close());
    const rows = async <Row>(sql: string, values: readonly unknown[] = []) => file.prepare(sql).all(...values) as Row[];
    return {
      run: async (sql) => void file.exec(sql),
      rows,
      tables: () => namesIn(rows, `SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'messages_fts'`),
    };
  }
  return parsed.provider === 'sqlserver' ? rawSqlServer(parsed) : rawPostgresql(parsed);
}

async function rawPostgresql(parsed: ServerUrl): Promise<RawDatabase> {
  const client = new pg.Client(postgresqlSettings(parsed));
  await client.connect();
  onTestFinished(() => client.end());
  const rows = async <Row>(sql: string, values: readonly unknown[] = []) =>
    (await client.query(sql, [...values])).rows as Row[];
  return {
    run: async (sql) => {
      await client.query(sql);
      if (!isDistributed || !/UPDATE chats /.test(sql)) return;
      await client.query('DELETE FROM user_chats');
      await distribution.completeUserChats?.(client);
    },
    rows,
    tables: () => namesIn(rows, 'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()'),
  };
}

/** Names of Parley's tables in statements, without a schema. */
const TABLE = new RegExp(`\\b(FROM|INTO|JOIN|UPDATE) "?(${Object.keys(TABLES).join('|')})\\b"?`, 'gi');

/** Uses one connection. Its user may have another default schema, so tables get the schema of the URL. */
async function rawSqlServer(parsed: ServerUrl): Promise<RawDatabase> {
  const pool = await connectPool(parsed);
  onTestFinished(() => pool.close());
  const { schema } = parsed;
  const inSchema = (sql: string) => sql.replace(TABLE, `$1 "${schema}"."$2"`);
  const rows = async <Row>(sql: string) => (await pool.request().query<Row>(inSchema(sql))).recordset;
  return {
    run: async (sql) => void (await pool.request().batch(inSchema(sql))),
    rows,
    tables: () =>
      namesIn(
        rows,
        `SELECT CONCAT('${schema}"."', [name]) AS [name] FROM sys.tables WHERE SCHEMA_NAME([schema_id]) = N'${schema}'`,
      ),
  };
}

async function namesIn(rows: RawDatabase['rows'], sql: string): Promise<string[]> {
  return (await rows<{ name: string }>(sql)).map(({ name }) => `"${name}"`);
}

const FORGET_CHECKS = {
  sqlite: async () => 'PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON',
  postgresql: async () => `SET session_replication_role = 'replica';
    ALTER TABLE IF EXISTS message_sources DROP CONSTRAINT IF EXISTS message_sources_earlier`,
  sqlserver: async (database: RawDatabase) =>
    (await database.tables()).map((table) => `ALTER TABLE ${table} NOCHECK CONSTRAINT ALL`).join('; '),
};

/** Opens a database without checks of foreign keys and of values. */
export async function damagingDatabase(url: string): Promise<RawDatabase> {
  const database = await rawDatabase(url);
  await database.run(await FORGET_CHECKS[parseDatabaseUrl(url).provider](database));
  return database;
}

const HOLD = {
  sqlite: () => 'BEGIN IMMEDIATE',
  postgresql: () => 'BEGIN; LOCK TABLE chats IN EXCLUSIVE MODE',
  sqlserver: (chats: string) => `BEGIN TRANSACTION; SELECT TOP (1) 1 FROM ${chats} WITH (TABLOCK, HOLDLOCK)`,
};

/** Locks a database for writes after running transactions have ended. Reads continue. */
export async function holdDatabase(url: string): Promise<{ release(): Promise<void> }> {
  const holder = await rawDatabase(url);
  await holder.run(HOLD[parseDatabaseUrl(url).provider](tableAt(url, 'chats').sql));
  return { release: () => holder.run('COMMIT') };
}
