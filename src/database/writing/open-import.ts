/** The row of an unfinished import. */
import type { OpenImport } from '../../conversation/change.js';
import { ImportUnderWayError } from '../../conversation/errors.js';
import type { Chat } from '../../conversation/model.js';
import type { Connection } from '../connection/connection.js';

export async function importOf(
  { sql, read }: Pick<Connection, 'sql' | 'read'>,
  id: string,
): Promise<OpenImport | null> {
  const [row] = await read((db) => db.rows<OpenImport>(sql.importOf(id)));
  return row ?? null;
}

/** @throws ImportUnderWayError while another import of the user writes the chat */
export async function refuseWhileImported(connection: Connection, { id, userId }: Chat): Promise<void> {
  const other = await importOf(connection, id);
  if (other?.userId === userId && other.deletedAt == null && other.expiresAt >= Date.now())
    throw new ImportUnderWayError(id);
}
