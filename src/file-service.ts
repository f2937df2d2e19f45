/** Opens the files of messages, where no server does: a feature implements it. */
import type { TemporaryFolder } from '@parley/interchange/server';
import type { FileRecords } from './conversation/files/file-records.js';
import type { Connection } from './database/connection/connection.js';
import type { FileStorage } from './files/file-storage.js';
import type { Files, FileSettings } from './files/files.js';

export interface ContentsOptions {
  databaseUrl: string;
  /** FILES_URL. */
  filesUrl: string | undefined;
  connection: Connection;
  /** Creates no folder, and deletes nothing in it. */
  isReadOnly?: boolean;
}

export interface FileService {
  /**
   * @param createFolder creates the folder for temporary files where the storage has none
   * @throws Error when FILES_URL cannot be used
   */
  open(
    settings: FileSettings,
    connection: Connection,
    createFolder?: () => TemporaryFolder,
  ): Promise<{ readonly files: Files; close(): Promise<void> }>;
  /** FILES_URL by default: a folder next to the file of SQLite, or the database itself on servers. */
  defaultUrl(databaseUrl: string): string;
  /** Opens the storage of contents. @throws Error with the reason when FILES_URL cannot be used */
  contents(options: ContentsOptions): Promise<FileStorage>;
  /** Opens a folder or a bucket by its URL. @throws Error with the reason */
  storage(url: string, isReadOnly?: boolean): Promise<FileStorage>;
  records(connection: Connection): FileRecords;
}
