/** Uploads that have not arrived in full. A client that knows the hash of its file can continue one after a break. */
import { createHash, randomUUID, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Spool, SpooledFiles } from '../../limits/spool.js';

/** Milliseconds that a broken upload can be continued. */
const KEPT_FOR_MS = 60 * 60_000;
/** Broken uploads of a user; the oldest makes room for another. */
const MAX_KEPT_OF_A_USER = 20;

/** A request that sends an upload. */
export interface Sender {
  /** Ends the request. */
  interrupt(): void;
  /** Settles when the request uses the upload no longer. */
  readonly ended: Promise<void>;
}

export class PartialUpload {
  /** Bytes that have arrived. */
  size = 0;
  /** When it was kept, in milliseconds since 1970. */
  keptAt = 0;
  #hash: Hash = createHash('sha256');

  constructor(
    readonly userId: string,
    readonly path: string,
    readonly spooled: SpooledFiles,
    /** The request that sends it; null while it is kept. */
    public sender: Sender | null,
    /** Whether a later request can continue it. */
    readonly canContinue: boolean,
  ) {}

  /** Call it with each chunk that is written. */
  add(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.size += chunk.length;
  }

  /** Goes on from the bytes on disk: the last ones that arrived before a break may not be written. */
  async resume(): Promise<void> {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of createReadStream(this.path) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      size += chunk.length;
    }
    this.#hash = hash;
    this.size = size;
  }

  /** In hex. The upload must not continue. */
  sha256(): string {
    return this.#hash.digest('hex');
  }
}

export class PartialUploads {
  readonly #uploads = new Map<string, PartialUpload>();

  /** @param folder where the files arrive, created when it is needed */
  constructor(
    private readonly folder: () => Promise<string>,
    private readonly spool: Spool,
  ) {}

  /** Bytes that have arrived of a file that the user sends; 0 for none. */
  offset(userId: string, sha256: string): number {
    return this.#uploads.get(keyOf(userId, sha256))?.size ?? 0;
  }

  /**
   * Begins or continues an upload. A continuation ends an earlier request: its client may have left unnoticed. Two
   * requests that begin with the same content do not disturb each other. The sender must keep or remove the upload
   * before it ends.
   * @param sha256 null: it cannot be continued
   * @param offset of its next byte: 0 starts over
   * @returns null when another number of bytes has arrived
   */
  async open(
    userId: string,
    { sha256, offset }: { sha256: string | null; offset: number },
    sender: Sender,
  ): Promise<PartialUpload | null> {
    const path = join(await this.folder(), `upload-${randomUUID()}`);
    const own = sha256 === null ? undefined : keyOf(userId, sha256);
    const isAlone = own === undefined || (offset === 0 && this.#uploads.get(own)?.sender != null);
    const key = isAlone ? keyOf(userId, randomUUID()) : own;
    for (let other = this.#uploads.get(key)?.sender; other != null; other = this.#uploads.get(key)?.sender) {
      other.interrupt();
      await other.ended;
    }
    // No await until the upload has its sender: another request could take it.
    const found = this.#uploads.get(key);
    if (found?.size === offset) {
      found.sender = sender;
      try {
        await found.resume();
      } catch (error) {
        await this.remove(found);
        throw error;
      }
      return found;
    }
    if (offset !== 0) return null;
    const upload = new PartialUpload(userId, path, this.spool.hold(userId), sender, !isAlone);
    this.#uploads.set(key, upload);
    if (found !== undefined) await this.remove(found);
    return upload;
  }

  /** Keeps the upload for a while, so that the client can continue it. */
  async keep(upload: PartialUpload): Promise<void> {
    try {
      upload.size = (await stat(upload.path)).size;
    } catch {
      // Nothing of it has reached the disk.
      return this.remove(upload);
    }
    upload.keptAt = Date.now();
    upload.sender = null;
    const kept = [...this.#uploads.values()].filter((each) => each.userId === upload.userId && each.sender === null);
    kept.sort((one, other) => one.keptAt - other.keptAt);
    for (const each of kept.slice(0, Math.max(0, kept.length - MAX_KEPT_OF_A_USER))) await this.remove(each);
  }

  async remove(upload: PartialUpload): Promise<void> {
    for (const [key, each] of this.#uploads) if (each === upload) this.#uploads.delete(key);
    await rm(upload.path, { force: true });
    upload.spooled.release();
  }

  /** Ends the requests of a user that send uploads, and deletes all uploads of the user. */
  async removeOf(userId: string): Promise<void> {
    for (const upload of [...this.#uploads.values()]) {
      if (upload.userId !== userId) continue;
      const { sender } = upload;
      sender?.interrupt();
      await sender?.ended;
      await this.remove(upload);
    }
  }

  /** Deletes uploads that were not continued. */
  async sweep(now = Date.now()): Promise<void> {
    const old = [...this.#uploads.values()].filter((each) => each.sender === null && each.keptAt < now - KEPT_FOR_MS);
    for (const upload of old) await this.remove(upload);
  }

  /** Deletes all. */
  async close(): Promise<void> {
    for (const upload of [...this.#uploads.values()]) await this.remove(upload);
  }
}

const keyOf = (userId: string, sha256: string) => `${sha256} ${userId}`;
