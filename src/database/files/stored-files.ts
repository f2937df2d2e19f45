import type { FileRecord } from '../../conversation/files/file-records.js';
import type { Connection } from '../connection/connection.js';

export type StoredFile = Pick<FileRecord, 'id' | 'mediaType' | 'size' | 'storageKey'>;

export function storedFiles(
  { sql, read }: Pick<Connection, 'sql' | 'read'>,
  ids: readonly string[],
): Promise<StoredFile[]> {
  return read((db) => db.rows<StoredFile>(sql.filesById(ids)));
}
