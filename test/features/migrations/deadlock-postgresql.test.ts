/** Migrations beside transactions of a running server. */
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { migratePostgresql } from '../../../src/features/migrations/postgresql.js';
import { postgresqlSettings } from '../../../src/database/drivers/postgresql.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/connection/database-url.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

const TABLES = { name: '0001_tables', sql: 'CREATE TABLE a (x INT); CREATE TABLE b (x INT);' };
const COLUMNS = { name: '0002_columns', sql: 'ALTER TABLE a ADD COLUMN y INT; ALTER TABLE b ADD COLUMN y INT;' };

it('is repeated when a deadlock with a server ends it', async () => {
  const url = parseDatabaseUrl(temporaryDatabaseUrl()) as ServerUrl;
  await migratePostgresql(url, [TABLES]);
  const server = new pg.Client(postgresqlSettings(url));
  await server.connect();
  onTestFinished(() => server.end());
  // The database ends the transaction that finds the deadlock: the migration, because the server does not look for it.
  await server.query(`SET deadlock_timeout = '1h'`);
  await server.query('BEGIN');
  await server.query(`LOCK TABLE "${url.schema}".b IN ACCESS SHARE MODE`);

  const migrating = migratePostgresql(url, [TABLES, COLUMNS]);
  const waiting = () =>
    server.query(`SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '"${url.schema}".b'::regclass`);
  await expect.poll(async () => (await waiting()).rowCount).toBe(1);
  await server.query(`LOCK TABLE "${url.schema}".a IN ACCESS SHARE MODE`);
  await server.query('COMMIT');
  expect(await migrating).toEqual({ applied: ['0002_columns'], isNew: false });
});
