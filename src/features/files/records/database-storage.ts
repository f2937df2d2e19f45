/** Contents of small files in the database, as base64. */
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { FileStorageError, type FileStorage } from '../../../files/file-storage.js';
import { fileStatements } from '../statements.js';
import type { Connection } from '../../../database/connection/connection.js';

/** Bytes of one file: rows of this size do not delay others. */
export const MAX_DATABASE_FILE_BYTES = 256 * 1024;

/** @param connection of the records; the database server closes it */
export function createDatabaseStorage({ sql: { differences }, read, write }: Connection): FileStorage {
  const sql = fileStatements(differences);
  return {
    maxBytes: MAX_DATABASE_FILE_BYTES,
    async put(storageKey, path) {
      const content = (await readFile(path)).toString('base64');
      await write(`file ${storageKey}`, (tx) => tx.run(sql.insertContent({ storageKey, content })));
    },
    async read(storageKey, { start, end }) {
      const [row] = await read((db) => db.rows<{ content: string }>(sql.contentOf(storageKey)));
      if (row === undefined) throw FileStorageError.missing(storageKey);
      const content = Buffer.from(row.content, 'base64');
      if (content.length <= end) throw FileStorageError.broken(storageKey, end + 1, content.length);
      return Readable.from([content.subarray(start, end + 1)]);
    },
    async size(storageKey) {
      const [row] = await read((db) => db.rows<{ content: string }>(sql.contentOf(storageKey)));
      return row === undefined ? null : Buffer.byteLength(row.content, 'base64');
    },
    async remove(storageKey) {
      await write(`file ${storageKey}`, (tx) => tx.run(sql.deleteContent(storageKey)));
    },
  };
}
