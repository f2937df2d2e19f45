/** A database past Parley: looked into and changed as somebody else would. */
import Database from 'better-sqlite3';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { postgresqlSettings } from '../../src/database/opening/connections/postgresql.js';
import { parseDatabaseUrl } from '../../src/database/opening/database-url.js';

export interface RawDatabase {
  /** Runs any number of statements. */
  run(sql: string): Promise<void>;
  /** The rows of one statement. */
  rows<Row = Record<string, unknown>>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** Opens a SQLite file that is there, or a schema of PostgreSQL; it is closed with the test. */
export async function rawDatabase(url: string): Promise<RawDatabase> {
  const parsed = parseDatabaseUrl(url);
  if (parsed.provider === 'sqlite') {
    const file = new Database(parsed.path, { fileMustExist: true });
    onTestFinished(() => void file.close());
    return {
      run: async (sql) => void file.exec(sql),
      rows: async <Row>(sql: string, values: readonly unknown[] = []) => file.prepare(sql).all(...values) as Row[],
    };
  }
  const client = new pg.Client(postgresqlSettings(parsed));
  await client.connect();
  onTestFinished(() => client.end());
  return {
    run: async (sql) => void (await client.query(sql)),
    rows: async <Row>(sql: string, values: readonly unknown[] = []) =>
      (await client.query(sql, [...values])).rows as Row[],
  };
}

/** Keeps everybody from changing a database, once the changes that are under way have ended. Reading goes on. */
export async function holdDatabase(url: string): Promise<{ release(): Promise<void> }> {
  const holder = await rawDatabase(url);
  await holder.run(
    parseDatabaseUrl(url).provider === 'sqlite' ? 'BEGIN IMMEDIATE' : 'BEGIN; LOCK TABLE chats IN EXCLUSIVE MODE',
  );
  return { release: () => holder.run('COMMIT') };
}
