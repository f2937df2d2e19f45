import sql, { raw } from 'sql-template-tag';
import type { Connection } from '../opening/connection.js';
import { IN_MEMORY, type DatabaseUrl } from '../opening/database-url.js';
import { bundledMigrations } from './bundled.js';
import { isBreaking, missingMigrations, type AppliedMigration } from './history.js';

interface Row {
  name: string;
  checksum: string;
  finished: number | bigint;
}

/**
 * Looks whether a database has exactly the migrations of this version.
 * @throws Error when it is behind, which says what brings it up to date, or ahead
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
 * Counts the migrations of this version, and those of them that a database has. It may have more, of a newer Parley: the
 * servers of the old one go on until those of the new one are there.
 */
export async function countMigrations(
  url: DatabaseUrl,
  connection: Connection,
): Promise<{ applied: number; expected: number }> {
  const bundled = bundledMigrations(url.provider);
  const expected = bundled.length;
  // A database in memory is created with all of them, and records none.
  if (url.provider === 'sqlite' && url.path === IN_MEMORY) return { applied: expected, expected };
  const applied = await appliedMigrations(url, connection);
  const finished = new Set(applied.filter(({ isFinished }) => isFinished).map(({ name }) => name));
  return { applied: bundled.filter(({ name }) => finished.has(name)).length, expected };
}

/**
 * The name of a migration of a newer version beside which this version must not write; null without one. All others only add
 * what this version does not need.
 */
export async function breakingMigration(url: DatabaseUrl, connection: Connection): Promise<string | null> {
  const known = new Set(bundledMigrations(url.provider).map(({ name }) => name));
  const applied = await appliedMigrations(url, connection);
  return applied.find(({ name }) => isBreaking(name) && !known.has(name))?.name ?? null;
}

/** In the order of their names. */
async function appliedMigrations(url: DatabaseUrl, { sql: dialect, read }: Connection): Promise<AppliedMigration[]> {
  // With its schema, so that one that may not be used is not taken for one without the table.
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
