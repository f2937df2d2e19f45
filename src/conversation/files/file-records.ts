/** The records of stored files. Contents are in a storage: see src/files/file-storage.ts. */
import type { Row } from '../tables.js';

export type FileRecord = Row<'files'>;

export interface MessageFile {
  id: string;
  /** The name in the message. */
  name: string | null;
  mediaType: string;
  /** In bytes. */
  size: number;
}

/** A file at its place in a message. */
export interface PlacedFile extends MessageFile {
  /** The number of its reference in the data, from 0. */
  position: number;
}

/** A file with the key of its content. */
export type StoredFile = Pick<FileRecord, 'id' | 'mediaType' | 'size' | 'storageKey'>;

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

export interface FileOfUser {
  userId: string;
  fileId: string;
}

/** The records of stored files, for other features. */
export interface FileRecords {
  /** Announces a content before it is stored, so that it is removed when the process ends before `add`. */
  announce(storageKey: string): Promise<void>;
  /** Adds a stored and announced content to the files of a user. */
  add(userId: string, file: StoredFile): Promise<unknown>;
  /** The existing ones of these files. */
  stored(fileIds: readonly string[]): Promise<StoredFile[]>;
  /** All files in steps, in the order of their ids. */
  inSteps(): AsyncGenerator<StoredFile[]>;
  /** The files of a chat, and those of all users, in steps. */
  ofChat(chatId: string): AsyncGenerator<Pick<FileOfUser, 'fileId'>[]>;
  ofUsers(): AsyncGenerator<FileOfUser[]>;
  /** Keeps existing files from the sweep, and gives them to a user that lacks them. */
  use(userId: string, fileIds: readonly string[]): Promise<void>;
  /** Those of these keys that no file has, and that are not listed for removal. */
  unknownKeys(keys: readonly string[]): Promise<string[]>;
}
