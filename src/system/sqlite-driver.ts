import { createRequire } from 'node:module';
import type Database from 'better-sqlite3';

export type SqliteFile = Database.Database;

let driver: typeof Database | undefined;

/**
 * Opens a file with better-sqlite3, which is loaded at the first call: a server on another database must start without
 * it.
 * @throws Error of one line with the remedy when the native module cannot be loaded; SqliteError
 */
export function openSqlite(path: string, options?: Database.Options): SqliteFile {
  driver ??= loadDriver();
  return new driver(path, options);
}

function loadDriver(): typeof Database {
  try {
    const Driver = createRequire(import.meta.url)('better-sqlite3') as typeof Database;
    // The first database loads the native module.
    new Driver(':memory:').close();
    return Driver;
  } catch (error) {
    const [reason = ''] = (error as Error).message.replace(/\s+/g, ' ').split(/\. | Require stack:/);
    // Without its cause, whose message has many lines.
    throw new Error(
      `better-sqlite3 cannot be loaded by Node ${process.version}: ${reason}; run \`npm rebuild better-sqlite3\` with this version of Node`,
    );
  }
}

/** Whether SQLite itself refused a statement or a file. */
export function isSqliteError(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return error instanceof Error && error.name === 'SqliteError';
}
