/** The storage of contents that belongs to a database, for the server and for commands. */
import type { FileStorage } from '../../files/storage/file-storage.js';
import { openFileStorage } from '../../files/storage/open-storage.js';
import type { Connection } from '../connection/connection.js';
import { parseDatabaseUrl } from '../connection/database-url.js';
import { createDatabaseStorage } from './database-storage.js';

/** A folder next to the file of SQLite, so that a backup of its folder has both; the database itself on servers. */
export function defaultFilesUrl(databaseUrl: string): string {
  const parsed = parseDatabaseUrl(databaseUrl);
  return parsed.provider === 'sqlite' ? `file:${parsed.path}.files` : 'database';
}

export interface ContentsOptions {
  databaseUrl: string;
  /** FILES_URL. */
  filesUrl: string | undefined;
  connection: Connection;
  /** Creates no folder, and deletes nothing in it. */
  isReadOnly?: boolean;
}

/** @throws Error with the reason when FILES_URL cannot be used */
export async function openContents({
  databaseUrl,
  filesUrl,
  connection,
  isReadOnly,
}: ContentsOptions): Promise<FileStorage> {
  const url = filesUrl ?? defaultFilesUrl(databaseUrl);
  return url === 'database' ? createDatabaseStorage(connection) : openFileStorage(url, isReadOnly);
}
