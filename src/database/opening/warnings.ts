import type { Connection } from '../connection/connection.js';

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
