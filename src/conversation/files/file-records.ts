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
  /** The chat of the message, its owner and its other members. */
  chatId: string;
  userId: string;
  members: string | null;
}

export interface FileInMessage {
  fileId: string;
  messageId: string;
}

/** A content in the storage. */
export interface StoredContent {
  storageKey: string;
  /** In bytes. */
  size: number;
}

export interface AddOptions {
  /** Bytes of all files of the user. @default Infinity */
  maxUserBytes?: number;
  /** The key of the file's content when the storage has lost it: the new content takes its place. */
  lostKey?: string | null;
}

/**
 * - STORED: the file is new
 * - SHARED: the file exists; the new copy replaces its lost content, or is left for removal
 * - EXPIRED: the announcement has expired; the content may have been removed
 * - OVER_LIMIT: the user would have too many bytes; the content is left for removal
 */
export type AddOutcome = 'STORED' | 'SHARED' | 'EXPIRED' | 'OVER_LIMIT';

/** The position of a sweep through all rows. */
export interface SweepPosition {
  table: 'user_files' | 'files';
  userId: string;
  fileId: string;
}

export interface FileRecords {
  /** Bytes of the files of a user. */
  bytesOfUser(userId: string): Promise<number>;
  /**
   * Refuses a file beyond the storage quota of the user.
   * @returns the stored bytes; null without quotas
   * @throws RefusalError
   */
  admit(userId: string, size: number): Promise<(bytes: number) => void>;
  /** Bytes of all files. It reads all rows. */
  bytesOfAll(): Promise<number>;
  /** The content of a file, without regard to rights; null for an unknown file. */
  contentOf(fileId: string): Promise<StoredContent | null>;
  /** Whether the user has the file, by uploading it or in a chat. */
  has(userId: string, fileId: string): Promise<boolean>;
  /** The same, and keeps the file from the next sweeps. */
  keep(userId: string, fileId: string): Promise<boolean>;
  /** Announces a content before it is stored, so that it is removed when the process ends before `add`. */
  announce(storageKey: string): Promise<void>;
  /** Adds a stored and announced content to the files of a user. */
  add(userId: string, file: Omit<FileRecord, 'createdAt' | 'usedAt'>, options?: AddOptions): Promise<AddOutcome>;
  /**
   * The file, if the viewer may read a message that contains it.
   * @param messageId one such message; null: any
   */
  readable(viewer: Viewer, fileId: string, messageId: string | null): Promise<ReadableFile | null>;
  /** The same for many messages, in their order. */
  readableIn(viewer: Viewer, keys: readonly FileInMessage[]): Promise<(ReadableFile | null)[]>;
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
