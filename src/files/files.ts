/** The files of messages: contents in a storage, records in the database. See docs/files.md. */
import { createHash, randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { FileRecords, MessageFile, ReadableFile, SweepPosition } from '../conversation/files/file-records.js';
import { checkJson, MAX_DATA_BYTES } from '../conversation/bounds.js';
import { referenceTo } from '../conversation/files/file-references.js';
import type { Viewer } from '../conversation/model.js';
import { longDataUrls, withReplaced, type DataUrl } from './data-urls.js';
import { checkedMediaType, MediaTypeError } from './media-types.js';
import { FileStorageError, type FileStorage } from './storage/file-storage.js';

export interface FileLimits {
  /** Bytes of one file. */
  maxFileBytes: number;
  /** Bytes of all files of a user. */
  maxUserFileBytes: number;
  /** Bytes of all files. */
  maxTotalFileBytes: number;
}

/** A complete content on the disk of this server. */
export interface StagedFile {
  path: string;
  /** In bytes. */
  size: number;
  /** In hex. */
  sha256: string;
  mediaType: string;
}

/** A file beyond a limit. The message names the limit. */
export class FileLimitError extends Error {}

/** Contents removed per sweep. */
const REMOVALS_PER_SWEEP = 100;

export interface FilesOptions {
  records: FileRecords;
  /** Opens the storage, or returns the open one. */
  storage: () => Promise<FileStorage>;
  limits: FileLimits;
  /** The folder for contents that are about to be stored. */
  temporaryFolder: () => Promise<string>;
}

export class Files {
  #position: SweepPosition | null = null;

  constructor(private readonly options: FilesOptions) {}

  /**
   * Checks a file before it arrives, and again when its size is known.
   * @param sha256 in hex, when it is known: a file that the user has already counts once
   * @throws FileLimitError
   */
  async checkSize(userId: string, size: number, sha256: string | null): Promise<void> {
    const { records, limits } = this.options;
    const most = await this.maxBytes();
    if (size > most) throw new FileLimitError(`A file may have at most ${most} bytes, not ${size}`);
    if (sha256 !== null && (await records.has(userId, sha256))) return;
    const { ofUser, ofAll } = await records.use(userId);
    const { maxUserFileBytes, maxTotalFileBytes } = limits;
    if (ofUser + size > maxUserFileBytes) {
      throw new FileLimitError(
        `The files of this user may have at most ${maxUserFileBytes} bytes (MAX_USER_FILE_BYTES): they have ${ofUser}, and this one ${size}`,
      );
    }
    if (ofAll + size > maxTotalFileBytes) {
      throw new FileLimitError(`The server stores at most ${maxTotalFileBytes} bytes of files (MAX_TOTAL_FILE_BYTES)`);
    }
  }

  /** Bytes of the largest file. */
  async maxBytes(): Promise<number> {
    return Math.min(this.options.limits.maxFileBytes, (await this.options.storage()).maxBytes);
  }

  has(userId: string, fileId: string): Promise<boolean> {
    return this.options.records.has(userId, fileId);
  }

  /**
   * Stores a content and adds it to the files of a user. Equal content is stored again and then dropped, so that the time
   * of an upload does not show whether it existed.
   * @throws FileLimitError
   */
  async add(userId: string, { path, size, sha256, mediaType }: StagedFile, signal?: AbortSignal): Promise<MessageFile> {
    const { records, storage } = this.options;
    await this.checkSize(userId, size, sha256);
    const storageKey = `${sha256.slice(0, 2)}/${sha256}-${randomUUID()}`;
    await records.announce(storageKey);
    await (await storage()).put(storageKey, path, size, signal);
    const isAdded = await records.add(userId, { id: sha256, mediaType, size, storageKey });
    if (!isAdded) throw new Error('the content took longer to store than unused files are kept');
    return { id: sha256, name: null, mediaType, size };
  }

  /**
   * A copy of a message's data in which references to new files of the user replace long data URLs. URLs that cannot be
   * stored stay: of a wrong media type, beyond a limit, and while the storage is unavailable.
   */
  async moveDataUrls(userId: string, data: unknown): Promise<unknown> {
    const references = new Map<string, string>();
    const urls = longDataUrls(data);
    if (urls.length === 0) return data;
    // Before anything is stored: the data may not be a valid message.
    checkJson(data, 'content.data', MAX_DATA_BYTES);
    for (const url of urls) {
      try {
        references.set(url.url, referenceTo(await this.#addDataUrl(userId, url)));
      } catch (error) {
        const stays = [FileLimitError, MediaTypeError, FileStorageError].some((kind) => error instanceof kind);
        if (!stays) throw error;
      }
    }
    return withReplaced(data, references);
  }

  async #addDataUrl(userId: string, { content, mediaType: declared }: DataUrl): Promise<string> {
    const sha256 = createHash('sha256').update(content).digest('hex');
    // A retry of a save has the same result as the first attempt, whatever happened meanwhile.
    if (await this.has(userId, sha256)) return sha256;
    const path = join(await this.options.temporaryFolder(), `data-url-${randomUUID()}`);
    try {
      await writeFile(path, content, { mode: 0o600 });
      const mediaType = await checkedMediaType(path, declared);
      return (await this.add(userId, { path, size: content.length, sha256, mediaType })).id;
    } finally {
      await rm(path, { force: true });
    }
  }

  /** The file, if the viewer may read a message that contains it. */
  async readable(viewer: Viewer, fileId: string, messageId: string | null): Promise<ReadableFile | null> {
    return this.options.records.readable(viewer, fileId, messageId);
  }

  /** @param range of bytes, `end` inclusive */
  async read({ storageKey }: ReadableFile, range: { start: number; end: number }): Promise<Readable> {
    return (await this.options.storage()).read(storageKey, range);
  }

  /** Goes on with the search for unused files, and removes contents that are due. */
  async sweep(): Promise<void> {
    const { records, storage } = this.options;
    this.#position = await records.sweep(this.#position);
    for (const key of await records.removable(REMOVALS_PER_SWEEP)) {
      await (await storage()).remove(key);
      await records.forget(key);
    }
  }
}
