/** The files of messages, which a feature stores: other parts use them through these types. See docs/files.md. */
import type { Readable } from 'node:stream';
import type { FileInMessage, MessageFile, ReadableFile } from '../conversation/files/file-records.js';
import type { Viewer } from '../conversation/model.js';
import type { MessageContent } from '../conversation/saving/content.js';
import type { Limits } from '../limits/limits.js';
import type { Caller } from '../scheduler/fair-queue.js';
import type { DataUrl } from './data-urls.js';

/** A file beyond a limit. The message names the limit. */
export class FileLimitError extends Error {}

/** A content has another hash than its id. */
export class WrongHashError extends Error {}

export type FileLimits = Pick<Limits, 'maxFileBytes' | 'maxUserFileBytes' | 'maxTotalFileBytes'>;

export interface NewContent {
  /** In hex, if it is known: another content is refused. */
  sha256?: string;
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** The media type of the content at a path. */
  mediaType(path: string): Promise<string>;
  /** Ends the transfer to the storage. */
  signal?: AbortSignal | undefined;
}

/** The user of an operation, and what ends it. */
export interface Actor {
  readonly viewer: Viewer;
  readonly signal?: AbortSignal | undefined;
}

export interface WithContent {
  content?: MessageContent | null | undefined;
}

export interface WholeFile extends Pick<MessageFile, 'mediaType' | 'size'> {
  content: Uint8Array<ArrayBuffer> | null;
}

export interface Files {
  /**
   * Gives existing files to a user.
   * @throws InvalidInputError beyond the limit of the user
   */
  give(userId: string, fileIds: readonly string[]): Promise<void>;
  /** Whether the user has the file, and the storage its content. It keeps the file from the next sweeps. */
  keep(userId: string, fileId: string): Promise<boolean>;
  /**
   * The same input, with files of the viewer in place of long data URLs. URLs that cannot be stored stay: of a wrong media
   * type, beyond a limit, and while the storage is unavailable.
   * @throws the signal's reason
   */
  withStored<Input extends WithContent>(actor: Actor, input: Input): Promise<Input>;
  /**
   * Stores the content of a data URL.
   * @returns the id of the file
   * @throws FileLimitError, MediaTypeError, FileStorageError
   */
  addDataUrl(userId: string, url: Omit<DataUrl, 'url'>, signal?: AbortSignal): Promise<string>;
  /**
   * Stores a content from a stream, unless the user has it.
   * @throws FileLimitError, WrongHashError, FileStorageError, and errors of the stream and of mediaType()
   */
  addContent(userId: string, content: NewContent): Promise<MessageFile>;
  /** The file, if the viewer may read a message that contains it. @param messageId one such message; null: any */
  readable(viewer: Viewer, fileId: string, messageId: string | null): Promise<ReadableFile | null>;
  /** The same with its content. @returns null when that is lost, too, and without the content beyond a size */
  readWhole(viewer: Viewer, file: FileInMessage, maxBytes: number): Promise<WholeFile | null>;
  /**
   * @param range of bytes, `end` inclusive
   * @param caller whose signal ends the wait for the storage
   * @throws FileStorageError
   */
  read(file: ReadableFile, range: { start: number; end: number }, caller?: Caller): Promise<Readable>;
  /** Goes on with the search for unused files, and removes contents that are due. */
  sweep(): Promise<void>;
  /** Notes why another process could not store a file. @returns the error */
  note<E>(error: E): E;
}

/** How servers and commands open the files of a database. */
export interface FileSettings {
  databaseUrl: string;
  /** FILES_URL; undefined: the folder next to SQLite's file, or the database. */
  filesUrl?: string | undefined;
  limits: FileLimits;
  /** Milliseconds that files stay without a message. */
  unusedFileExpiryMs: number;
  /** Receives a line when contents cannot be stored, and when they can be again. */
  log?: ((line: string) => void) | undefined;
}
