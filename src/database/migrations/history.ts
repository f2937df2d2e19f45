/**
 * The table `_prisma_migrations`, in which `prisma migrate deploy` keeps what it has applied. Its engine cannot be had
 * without a download; a database that was brought up to date here has the same records, so that it can go on.
 */
import { checksum, type Migration } from './bundled.js';

/** A row of the table, of a migration that was not marked as rolled back. */
export interface AppliedMigration {
  name: string;
  checksum: string;
  isFinished: boolean;
}

export interface MigrationOutcome {
  /** The names of those that were applied now. */
  applied: string[];
  /** Whether there were none before. */
  isNew: boolean;
}

/**
 * Whether an older version must not write beside a migration: its name says so, as in `0010_breaking_ids`, because an older
 * version has no more than the name. See docs/databases.md.
 */
export function isBreaking(name: string): boolean {
  return /^\d+_breaking_/.test(name);
}

/**
 * @param applied in the order of their names
 * @returns what is still to be applied
 * @throws Error when what was applied is not the beginning of `migrations`: the database is of a newer Parley, a
 * migration was changed since, or failed half-way where it could not be rolled back
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
    if (!row.isFinished) {
      throw new Error(
        `the migration "${row.name}" was begun and has not ended: see what it left, and \`prisma migrate resolve\``,
      );
    }
    if (checksum(expected) !== row.checksum) {
      throw new Error(`the migration "${row.name}" was changed after the database had applied it`);
    }
  });
  return migrations.slice(applied.length);
}

/** What a failed migration says. The error is not its cause: whoever looks for the driver's words would find no others. */
export function migrationFailed({ name }: Migration, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(`the migration "${name}" failed, and nothing was changed: ${reason}`);
}
