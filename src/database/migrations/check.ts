import sql, { raw } from 'sql-template-tag';
import type { Connection } from '../connection/connection.js';
import { IN_MEMORY, type DatabaseUrl } from '../connection/database-url.js';
import { bundledMigrations } from '../drivers/bundled-migrations.js';
import { isBreaking, missingMigrations, type AppliedMigration } from './history.js';

interface Row {
  name: string;
  checksum: string;
  finished: number | bigint;
}

/**
 * Checks that a database has exactly the migrations of this version.
 * @throws Error when it is older, with the remedy, or newer
 */
export async function checkMigrations(url: DatabaseUrl, connection: Connection): Promise<void> {
  const applied = await appliedMigrations(url, connection);
  const missing = missingMigrations(applied, bundledMigrations(url.provider)).map((migration) => migration.name);
  if (missing.length === 0) return;
  throw new Error(
    `it lacks the migrations ${missing.join(', ')}; run \`npm run migrate\`, or start with MIGRATE_ON_START=true`,
  );
}

/**
 * Counts the migrations of this version, and the applied ones. A newer Parley may have applied more while older servers
 * keep running.
 */
export async function countMigrations(
  url: DatabaseUrl,
  connection: Pick<Connection, 'sql' | 'read'>,
): Promise<{ applied: number; expected: number }> {
  const bundled = bundledMigrations(url.provider);
  const expected = bundled.length;
  // A database in memory has all migrations and records none.
  if (url.provider === 'sqlite' && url.path === IN_MEMORY) return { applied: expected, expected };
  const applied = await appliedMigrations(url, connection);
  const finished = new Set(applied.filter(({ isFinished }) => isFinished).map(({ name }) => name));
  return { applied: bundled.filter(({ name }) => finished.has(name)).length, expected };
}

/**
 * The name of a newer migration that forbids writes of this version; null without one. Other migrations are additive.
 */
export async function breakingMigration(url: DatabaseUrl, connection: Connection): Promise<string | null> {
  const known = new Set(bundledMigrations(url.provider).map(({ name }) => name));
  const applied = await appliedMigrations(url, connection);
  return applied.find(({ name }) => isBreaking(name) && !known.has(name))?.name ?? null;
}

/** The names of the applied migrations. */
export async function migrationNames(url: DatabaseUrl, connection: Connection): Promise<string[]> {
  return (await appliedMigrations(url, connection)).map(({ name }) => name);
}

/** Ordered by name. */
async function appliedMigrations(
  url: DatabaseUrl,
  { sql: dialect, read }: Pick<Connection, 'sql' | 'read'>,
): Promise<AppliedMigration[]> {
  // Qualified with the schema, so that missing privileges are not mistaken for a missing table.
  const table = raw(`${url.provider === 'sqlite' ? '' : `"${url.schema}".`}"_prisma_migrations"`);
  const rows = await read((db) =>
    db.rows<Row>(sql`
      SELECT "migration_name" AS "name", "checksum" AS "checksum",
        CASE WHEN "finished_at" IS NULL THEN 0 ELSE 1 END AS "finished"
      FROM ${table} WHERE "rolled_back_at" IS NULL ORDER BY "migration_name"`),
  ).catch((error: unknown) => {
    if (dialect.failure(error) === 'no table') return [];
    throw error;
  });
  return rows.map(({ finished, ...row }) => ({ ...row, isFinished: Number(finished) === 1 }));
}
