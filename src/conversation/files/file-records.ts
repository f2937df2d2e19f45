/** The records of stored files, implemented in src/database. Contents are in a storage: see src/files/storage. */
import type { Viewer } from '../model.js';
import type { Row } from '../tables.js';

export type FileRecord = Row<'files'>;

/** A file of a message, as clients read it. */
export interface MessageFile {
  id: string;
  /** The name in the message. */
  name: string | null;
  mediaType: string;
  /** In bytes. */
  size: number;
}

/** A file that a viewer may read. */
export interface ReadableFile extends MessageFile {
  storageKey: string;
}

/** The bytes that count against limits. */
export interface FileUse {
  ofUser: number;
  ofAll: number;
}

/** The position of a sweep through all rows. */
export interface SweepPosition {
  table: 'user_files' | 'files';
  userId: string;
  fileId: string;
}

export interface FileRecords {
  /** Bytes of the files of a user, and of all files. */
  use(userId: string): Promise<FileUse>;
  /** Whether the user has the file, by uploading it or in a chat. */
  has(userId: string, fileId: string): Promise<boolean>;
  /** The same, and keeps the file from the next sweeps. */
  keep(userId: string, fileId: string): Promise<boolean>;
  /** Announces a content before it is stored, so that it is removed when the process ends before `add`. */
  announce(storageKey: string): Promise<void>;
  /**
   * Adds a stored and announced content to the files of a user. When the content is already there under another key, the
   * new copy is left for removal.
   * @returns false when the announcement has expired
   */
  add(userId: string, file: Omit<FileRecord, 'createdAt' | 'usedAt'>): Promise<boolean>;
  /**
   * The file, if the viewer may read a message that contains it.
   * @param messageId one such message; null: any
   */
  readable(viewer: Viewer, fileId: string, messageId: string | null): Promise<ReadableFile | null>;
  /**
   * Deletes rows of files that nothing has used for a time, from a bounded number of rows after a position. Their
   * contents are left for removal.
   * @returns the position for the next call; null at the end
   */
  sweep(after: SweepPosition | null): Promise<SweepPosition | null>;
  /** The keys of contents to remove now, at most `limit`. */
  removable(limit: number): Promise<string[]>;
  /** Forgets a key after its content was removed. */
  forget(storageKey: string): Promise<void>;
}
