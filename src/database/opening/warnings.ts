import type { Connection } from './connection.js';

const NO_ROW_VERSIONING =
  'READ_COMMITTED_SNAPSHOT is off in this database, so queries wait for changes: ' +
  'ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK IMMEDIATE';

/** Settings of the database that delay operations without failing them, with the statements that change them. */
export async function databaseWarnings({ sql, read }: Pick<Connection, 'sql' | 'read'>): Promise<string[]> {
  const { rowVersioning } = sql;
  if (rowVersioning === null) return [];
  const [row] = await read((db) => db.rows<{ isOn: number }>(rowVersioning()));
  return row?.isOn === 0 ? [NO_ROW_VERSIONING] : [];
}
