/** Uploads that have not arrived in full. A client that knows the hash of its file can continue one after a break. */
import { createHash, randomUUID, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Spool, SpooledFiles } from '../limits/spool.js';

/** Milliseconds that a broken upload can be continued. */
const KEPT_FOR_MS = 60 * 60_000;

export class PartialUpload {
  /** Bytes that have arrived. */
  size = 0;
  /** The request that sends it. */
  sender: Sender | null = null;
  expiresAt = Infinity;
  #hash: Hash = createHash('sha256');

  constructor(
    readonly path: string,
    readonly spooled: SpooledFiles,
  ) {}

  /** Call it with each chunk that is written. */
  add(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.size += chunk.length;
  }

  /** Goes on from the bytes on disk: the last ones that arrived before a break may not be written. */
  async goOn(): Promise<void> {
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

/** A request that sends an upload. */
export interface Sender {
  /** Ends the request. */
  interrupt(): void;
  /** Settles when its bytes are on disk. */
  readonly ended: Promise<void>;
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
   * Begins or continues an upload, and ends an earlier request for it: its client may have left unnoticed.
   * @param sha256 null: it cannot be continued
   * @param offset of its next byte: 0 starts over
   * @returns null when another number of bytes has arrived
   */
  async open(
    userId: string,
    { sha256, offset }: { sha256: string | null; offset: number },
    sender: Sender,
  ): Promise<PartialUpload | null> {
    const key = keyOf(userId, sha256 ?? randomUUID());
    for (let other = this.#uploads.get(key)?.sender; other != null; other = this.#uploads.get(key)?.sender) {
      other.interrupt();
      await other.ended;
    }
    const found = this.#uploads.get(key);
    if (found !== undefined && found.size === offset) {
      begin(found, sender);
      await found.goOn();
      return found;
    }
    if (offset !== 0) return null;
    if (found !== undefined) await this.#remove(key, found);
    const path = join(await this.folder(), `upload-${randomUUID()}`);
    const upload = new PartialUpload(path, this.spool.hold(userId));
    this.#uploads.set(key, upload);
    begin(upload, sender);
    return upload;
  }

  /** Keeps the upload for a while, so that the client can continue it. */
  async keep(upload: PartialUpload): Promise<void> {
    upload.size = (await stat(upload.path)).size;
    upload.sender = null;
    upload.expiresAt = Date.now() + KEPT_FOR_MS;
  }

  async remove(upload: PartialUpload): Promise<void> {
    for (const [key, each] of this.#uploads) if (each === upload) await this.#remove(key, upload);
  }

  /** Deletes uploads that were not continued. */
  async sweep(now = Date.now()): Promise<void> {
    for (const [key, upload] of this.#uploads) {
      if (upload.sender === null && upload.expiresAt < now) await this.#remove(key, upload);
    }
  }

  /** Deletes all. */
  async close(): Promise<void> {
    for (const [key, upload] of this.#uploads) await this.#remove(key, upload);
  }

  async #remove(key: string, upload: PartialUpload): Promise<void> {
    this.#uploads.delete(key);
    await rm(upload.path, { force: true });
    upload.spooled.release();
  }
}

function begin(upload: PartialUpload, sender: Sender): void {
  upload.sender = sender;
  upload.expiresAt = Infinity;
}

const keyOf = (userId: string, sha256: string) => `${sha256} ${userId}`;
