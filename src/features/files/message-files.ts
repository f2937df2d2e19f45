/** The files of messages: contents in a storage, records in the database. See docs/files.md. */
import { createHash, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { FileInMessage, MessageFile, ReadableFile } from '../../conversation/files/file-records.js';
import { checkJson, MAX_DATA_BYTES } from '../../conversation/bounds.js';
import { referenceTo } from '../../conversation/files/file-references.js';
import type { DatabaseFileRecords, SweepPosition } from './records/database-file-records.js';
import type { Viewer } from '../../conversation/model.js';
import type { Caller } from '../../scheduler/fair-queue.js';
import { TurnBudget } from '../../scheduler/turn-budget.js';
import { longDataUrls, withReplaced, type DataUrl } from '../../files/data-urls.js';
import {
  FileLimitError,
  WrongHashError,
  type Actor,
  type FileLimits,
  type Files,
  type NewContent,
  type WholeFile,
  type WithContent,
} from '../../files/files.js';
import { FileQuota, userLimitError, type HeldBytes } from './file-quota.js';
import { checkedMediaType, MediaTypeError } from '../../files/media-types.js';
import type { StorageHealth } from './storage-health.js';
import { FileStorageError, newStorageKey, temporaryFailure, type FileStorage } from '../../files/file-storage.js';

/** A complete content on the disk of this server. */
export interface StagedFile {
  path: string;
  /** In bytes. */
  size: number;
  /** In hex. */
  sha256: string;
  mediaType: string;
}

/** Steps of the search for unused files per sweep. */
const STEPS_PER_SWEEP = 20;
const REMOVALS_AT_ONCE = 100;
/** Failed removals after which a sweep stops: the storage is unavailable. */
const MAX_FAILURES = 10;

export interface FilesOptions {
  health?: StorageHealth;
  records: DatabaseFileRecords;
  /** Opens the storage, or returns the open one. */
  storage: () => Promise<FileStorage>;
  limits: FileLimits;
  /** The folder for contents that are about to be stored. */
  temporaryFolder: () => Promise<string>;
}

export class MessageFiles implements Files {
  #position: SweepPosition | null = null;

  readonly #quota: FileQuota;

  constructor(private readonly options: FilesOptions) {
    this.#quota = new FileQuota(options.records, options.limits, () => this.maxBytes());
  }

  give(userId: string, fileIds: readonly string[]): Promise<void> {
    return this.options.records.give(userId, fileIds, this.options.limits.maxUserFileBytes);
  }

  /** Begins to count a file of a user that arrives. The caller must release it. */
  hold(userId: string): HeldBytes {
    return this.#quota.hold(userId);
  }

  /**
   * Checks a file before its upload begins.
   * @throws FileLimitError
   */
  async checkSize(userId: string, size: number, sha256: string): Promise<void> {
    const held = this.hold(userId);
    await held.reserve(size, sha256);
    held.release();
  }

  /** Bytes of the largest file. */
  async maxBytes(): Promise<number> {
    return Math.min(this.options.limits.maxFileBytes, (await this.options.storage()).maxBytes);
  }

  /** See FileStorage.arrivalFailure; undefined where contents arrive in TMPDIR. */
  async arrivalFailure(): Promise<FileStorage['arrivalFailure']> {
    return (await this.options.storage()).arrivalFailure;
  }

  /** Whether the user has the file, and the storage its content. */
  async isStored(userId: string, fileId: string): Promise<boolean> {
    return (await this.options.records.has(userId, fileId)) && (await this.#isIntact(fileId));
  }

  async keep(userId: string, fileId: string): Promise<boolean> {
    return (await this.options.records.keep(userId, fileId)) && (await this.#isIntact(fileId));
  }

  /** Whether the storage has the content, as far as it is available. */
  async #isIntact(fileId: string): Promise<boolean> {
    const content = await this.options.records.contentOf(fileId);
    if (content === null) return false;
    const storage = await this.options.storage();
    const size = await storage.size(content.storageKey).catch((error: unknown) => {
      if (!(error instanceof FileStorageError)) throw error;
      // A retry of a save must have the same result while the storage is unavailable.
      return content.size;
    });
    return size === content.size;
  }

  /**
   * Stores a content and adds it to the files of a user. Equal content is stored again and then dropped, unless the
   * storage has lost it: an upload takes the same time for new and for existing content.
   * @param options.held the reservation of the file; it is released
   * @param options.signal ends the transfer to the storage
   * @throws FileLimitError, FileStorageError, and the signal's reason
   */
  async add(
    userId: string,
    { path, size, sha256, mediaType }: StagedFile,
    { held = this.hold(userId), signal }: { held?: HeldBytes; signal?: AbortSignal | undefined } = {},
  ): Promise<MessageFile> {
    const { records, limits } = this.options;
    try {
      await held.reserve(size, sha256);
      const storage = await this.options.storage();
      const storageKey = newStorageKey(sha256);
      await records.announce(storageKey);
      await storage.put(storageKey, path, size, signal);
      const earlier = await records.contentOf(sha256);
      // New content also takes one read.
      const found = await storage.size(earlier?.storageKey ?? storageKey);
      const outcome = await records.add(
        userId,
        { id: sha256, mediaType, size, storageKey },
        { maxUserBytes: limits.maxUserFileBytes, lostKey: found === size ? null : (earlier?.storageKey ?? null) },
      );
      if (outcome === 'OVER_LIMIT') throw userLimitError(limits, 'other servers have stored more meanwhile');
      if (outcome === 'EXPIRED') {
        // The removal may have run before the content was complete.
        await storage.remove(storageKey);
        throw new Error('the content took more than a day to store');
      }
      if (outcome === 'STORED') this.#quota.countStored(size);
      return { id: sha256, name: null, mediaType, size };
    } finally {
      held.release();
    }
  }

  async withStored<Input extends WithContent>({ viewer, signal }: Actor, input: Input): Promise<Input> {
    const data = input.content?.data;
    const urls = data == null ? [] : longDataUrls(data);
    if (urls.length === 0) return input;
    const { yieldIfDue } = new TurnBudget();
    const references = new Map<string, string>();
    // Before anything is stored: the data may not be a valid message.
    checkJson(data, 'content.data', MAX_DATA_BYTES);
    for (const url of urls) {
      try {
        references.set(url.url, referenceTo(await this.addDataUrl(viewer.userId, url, signal)));
      } catch (error) {
        // Each further one would wait for the time limit of the storage.
        if (error instanceof FileStorageError) break;
        if (!(error instanceof FileLimitError || error instanceof MediaTypeError)) throw error;
      }
    }
    const content = { ...input.content, data: withReplaced(data, references) };
    await yieldIfDue();
    return { ...input, content };
  }

  async addDataUrl(
    userId: string,
    { content, sha256, mediaType }: Omit<DataUrl, 'url'>,
    signal?: AbortSignal,
  ): Promise<string> {
    // A retry of a save that stored the file has the same result.
    if (await this.keep(userId, sha256)) return sha256;
    const typeOf = (path: string) => checkedMediaType(path, mediaType);
    return (await this.addContent(userId, { sha256, content: [content], mediaType: typeOf, signal })).id;
  }

  async addContent(userId: string, { sha256, content, mediaType, signal }: NewContent): Promise<MessageFile> {
    const path = join(await this.options.temporaryFolder(), `content-${randomUUID()}`);
    const hash = createHash('sha256');
    const most = await this.maxBytes();
    let size = 0;
    async function* measured() {
      for await (const chunk of content) {
        size += chunk.length;
        if (size > most) throw new FileLimitError(`A file may have at most ${most} bytes`);
        hash.update(chunk);
        yield chunk;
      }
    }
    try {
      await writeContent(path, measured(), (await this.arrivalFailure()) ?? temporaryFailure);
      const id = hash.digest('hex');
      if (sha256 !== undefined && sha256 !== id)
        throw new WrongHashError(`The content of file ${sha256} has another hash`);
      const type = await mediaType(path);
      if (await this.keep(userId, id)) return { id, name: null, mediaType: type, size };
      return await this.add(userId, { path, size, sha256: id, mediaType: type }, { signal });
    } finally {
      await rm(path, { force: true });
    }
  }

  async readWhole(viewer: Viewer, { fileId, messageId }: FileInMessage, maxBytes: number): Promise<WholeFile | null> {
    const file = await this.readable(viewer, fileId, messageId);
    if (file === null) return null;
    const { mediaType, size } = file;
    if (size > maxBytes) return { mediaType, size, content: null };
    try {
      const chunks = (await (await this.read(file, { start: 0, end: size - 1 })).toArray()) as Uint8Array[];
      return { mediaType, size, content: new Uint8Array(Buffer.concat(chunks)) };
    } catch (error) {
      if (error instanceof FileStorageError && (error.fault === 'MISSING' || error.fault === 'BROKEN')) return null;
      throw error;
    }
  }

  async readable(viewer: Viewer, fileId: string, messageId: string | null): Promise<ReadableFile | null> {
    return this.options.records.readable(viewer, fileId, messageId);
  }

  readableIn(viewer: Viewer, keys: readonly FileInMessage[]): Promise<(ReadableFile | null)[]> {
    return this.options.records.readableIn(viewer, keys);
  }

  async read({ storageKey }: ReadableFile, range: { start: number; end: number }, caller?: Caller): Promise<Readable> {
    return (await this.options.storage()).read(storageKey, range, caller);
  }

  async sweep(): Promise<void> {
    const { records } = this.options;
    for (let step = 0; step < STEPS_PER_SWEEP; step++) {
      this.#position = await records.sweep(this.#position);
      if (this.#position === null) break;
    }
    const failed = new Map<string, unknown>();
    while (failed.size < MAX_FAILURES) {
      const keys = (await records.removable(REMOVALS_AT_ONCE + failed.size)).filter((key) => !failed.has(key));
      if (keys.length === 0) break;
      for (const key of keys) await this.#remove(key).catch((error: unknown) => failed.set(key, error));
    }
    const [error] = failed.values();
    // The next sweep tries them again.
    if (error !== undefined) throw error as Error;
  }

  note<E>(error: E): E {
    return this.options.health?.note(error) ?? error;
  }

  async #remove(key: string): Promise<void> {
    await (await this.options.storage()).remove(key);
    await this.options.records.forget(key);
  }
}

/** @throws the failure when the folder cannot be written, and errors of the content */
async function writeContent(
  path: string,
  content: AsyncIterable<Uint8Array>,
  failure: (error: unknown) => Error,
): Promise<void> {
  const fail = (error: unknown): never => {
    throw failure(error);
  };
  const file = await open(path, 'wx', 0o600).catch(fail);
  try {
    for await (const chunk of content) await file.write(chunk).catch(fail);
  } finally {
    await file.close();
  }
}
