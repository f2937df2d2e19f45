/** The storage of contents that belongs to a database, for the server and for commands. */
import type { ContentsOptions } from '../../../file-service.js';
import type { FileStorage } from '../../../files/file-storage.js';
import { openFileStorage } from '../storage/open-storage.js';
import { parseDatabaseUrl } from '../../../database/connection/database-url.js';
import { createDatabaseStorage } from './database-storage.js';

/** A folder next to the file of SQLite, so that a backup of its folder has both; the database itself on servers. */
export function defaultFilesUrl(databaseUrl: string): string {
  const parsed = parseDatabaseUrl(databaseUrl);
  return parsed.provider === 'sqlite' ? `file:${parsed.path}.files` : 'database';
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
