/** The feature that brings databases to the schema of this version. */
import type { Connection } from '../connection/connection.js';
import type { DatabaseUrl } from '../connection/database-url.js';
import type { MigrationOptions } from '../writing/progress.js';

export interface MigrationOutcome {
  applied: string[];
  /** Whether no migration was applied before. */
  isNew: boolean;
}

export interface Migrator {
  /**
   * Applies the pending migrations.
   * @throws Error when the applied ones are not a prefix of those of this version, or one fails
   */
  migrate(
    url: DatabaseUrl,
    options: MigrationOptions & { isReopened?: boolean | undefined },
  ): Promise<MigrationOutcome>;
  /**
   * Checks that a database has exactly the migrations of this version.
   * @throws Error when it is older, with the remedy, or newer
   */
  check(url: DatabaseUrl, connection: Schema): Promise<void>;
  /**
   * Counts the migrations of this version, and the applied ones. A newer Parley may have applied more while older servers
   * keep running.
   */
  count(url: DatabaseUrl, connection: Schema): Promise<{ applied: number; expected: number }>;
  /** The names of the applied migrations. */
  names(url: DatabaseUrl, connection: Schema): Promise<string[]>;
  /** The name of a newer migration that forbids writes of this version; null without one. Other migrations are additive. */
  breaking(url: DatabaseUrl, connection: Schema): Promise<string | null>;
  /** @throws Error with the missing statements, when the connection's role lacks privileges */
  checkRights(url: DatabaseUrl, connection: Schema): Promise<void>;
  /** The statements that grant the connection's role its missing privileges; none on SQLite. */
  missingGrants(url: DatabaseUrl, connection: Schema): Promise<string[]>;
}

type Schema = Pick<Connection, 'sql' | 'read'>;

let load: (() => Promise<Migrator>) | undefined;

/** The feature sets it before a database is opened: see src/features/all-forms.ts. */
export function setMigrator(loadMigrator: () => Promise<Migrator>): void {
  load = loadMigrator;
}

/** @throws Error without the feature */
export async function migrator(): Promise<Migrator> {
  if (load === undefined) throw new Error('this program does not import src/features/all-forms.ts');
  return load();
}
