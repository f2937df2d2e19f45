/** Brings the search index of a database up to date, or checks that it is. */
import type { MigrationOptions } from '../writing/progress.js';
import { bringSearchUpToDate, isSearchUpToDate } from '../writing/search-index.js';
import type { Connection, ConnectionOptions } from '../connection/connection.js';
import type { DatabaseUrl } from '../connection/database-url.js';
import { migrator } from './migrator.js';
import { openConnection } from './providers.js';

/** On a separate connection without time limits, because indexing all messages may take long. */
export async function indexSearch(
  url: DatabaseUrl,
  connection: Connection,
  options: ConnectionOptions & MigrationOptions,
): Promise<void> {
  const { onProgress, signal } = options;
  const isUnlimited = url.provider === 'sqlite' || options.statementTimeouts === undefined;
  if (isUnlimited) return bringSearchUpToDate(connection, { onProgress, signal });
  if (await isSearchUpToDate(connection)) return;
  const unlimited = await openConnection(url, { ...options, statementTimeouts: undefined });
  try {
    await bringSearchUpToDate(unlimited, { onProgress, signal });
  } finally {
    await unlimited.close();
  }
}

/** @throws Error when this version cannot use the database as it is */
export async function checkDatabase(url: DatabaseUrl, connection: Connection): Promise<void> {
  await (await migrator()).check(url, connection);
  if (await isSearchUpToDate(connection)) return;
  throw new Error('not every message is indexed for search by this version of Parley; run `npm run migrate`');
}

const NO_ROW_VERSIONING =
  'READ_COMMITTED_SNAPSHOT is off in this database, so queries wait for changes: ' +
  'ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK IMMEDIATE';

/** Settings that delay operations, with the statements that change them, and problems of its form. */
export async function databaseWarnings(connection: Pick<Connection, 'sql' | 'read' | 'scope'>): Promise<string[]> {
  const { sql, read, scope } = connection;
  if (scope.form !== undefined) return scope.form.problems(read);
  const { rowVersioning } = sql;
  if (rowVersioning === null) return [];
  const [row] = await read((db) => db.rows<{ isOn: number }>(rowVersioning()));
  return row?.isOn === 0 ? [NO_ROW_VERSIONING] : [];
}
