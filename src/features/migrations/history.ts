/**
 * The table `_prisma_migrations` of `prisma migrate deploy`. Parley writes the same records, so that Prisma's CLI can
 * continue.
 */
import { checksum, type Migration } from '../../database/drivers/bundled-migrations.js';

/** A row of a migration that was not rolled back. */
export interface AppliedMigration {
  name: string;
  checksum: string;
  /** 1 or 0. */
  isFinished: number | bigint;
}

/**
 * Selects AppliedMigrations, ordered by name.
 * @param schema qualifies the table, so that missing privileges are not mistaken for a missing table
 */
export const selectApplied = (schema?: string) => `
  SELECT "migration_name" AS "name", "checksum" AS "checksum",
    CASE WHEN "finished_at" IS NULL THEN 0 ELSE 1 END AS "isFinished"
  FROM ${schema === undefined ? '' : `"${schema}".`}"_prisma_migrations"
  WHERE "rolled_back_at" IS NULL ORDER BY "migration_name"`;

/**
 * Whether older versions must not write after a migration. The name contains it, as in `0010_breaking_ids`, because older
 * versions know only the name. See docs/databases.md.
 */
export function isBreaking(name: string): boolean {
  return /^\d+_breaking_/.test(name);
}

/**
 * @param applied ordered by name
 * @returns the pending migrations
 * @throws Error when the applied ones are not a prefix of `migrations`: a newer Parley, a changed migration, or one
 * that failed and could not be rolled back
 */
export function missingMigrations(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): readonly Migration[] {
  applied.forEach((row, n) => {
    const expected = migrations[n];
    if (expected === undefined || expected.name !== row.name) {
      throw new Error(`the database has the migration "${row.name}", which this version of Parley does not know`);
    }
    if (Number(row.isFinished) === 0) {
      throw new Error(
        `the migration "${row.name}" started and did not end: inspect its changes, then run \`prisma migrate resolve\``,
      );
    }
    if (checksum(expected) !== row.checksum) {
      throw new Error(`the migration "${row.name}" was changed after the database had applied it`);
    }
  });
  return migrations.slice(applied.length);
}

/** The tables of `@deepagents/context`, which Parley has, too. */
const ORIGINAL_TABLES = ['chats', 'messages', 'branches', 'checkpoints'];

/**
 * @param tables the names of all tables of a database without migrations
 * @param source the database as an argument of `parley import`
 * @throws Error when it is a database of `@deepagents/context`
 */
export function refuseOriginal(tables: readonly string[], source: string): void {
  if (!ORIGINAL_TABLES.every((table) => tables.includes(table))) return;
  throw new Error(
    `it is a database of @deepagents/context, and is unchanged. Open a new database, and run \`parley import ${source}\` with it`,
  );
}

/**
 * The error of a failed migration. The driver's error is not its cause, because driverMessage would report that
 * instead.
 */
export function migrationFailed({ name }: Migration, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(`the migration "${name}" failed, and nothing was changed: ${reason}`);
}
