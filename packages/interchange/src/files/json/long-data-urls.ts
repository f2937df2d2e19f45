/**
 * Base64 data URLs that are longer than any string in memory. The value keeps their beginning and a hash; the rest waits in
 * a temporary file until an import stores the content.
 */
import { createHash, type Hash } from 'node:crypto';
import { closeSync, createReadStream, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UnreadableError } from '../../file-values.js';
import {
  createTemporaryFolder,
  type TemporaryFolder,
  temporarySpaceFault,
  withTemporarySpace,
} from '../temporary-space.js';

/** With slashes as JSON escapes them. */
const BEGINNING = /^data:[^,"]{0,200};base64,/i;
/** No character of base64, so that the shortened URL is never valid by itself. */
const HASH = /^(data:[^,]*),([^.]*)\.([0-9a-f]{64})$/i;
/** Bytes of all temporary files. */
const MAX_WAITING_BYTES = 2 * 1024 ** 3;

interface OpenUrl {
  hash: Hash;
  size: number;
  /** Null when it is dropped. */
  fd: number | null;
}

/** A data URL whose content waits. */
export interface LongDataUrl {
  /** The hash of the URL as the file has it. */
  hash: string;
  /** As the URL has it. */
  mediaType: string;
  /** @throws UnreadableError when the content is no base64, or was not kept */
  chunks(): AsyncIterable<Uint8Array>;
}

export class LongDataUrls {
  #folder: TemporaryFolder | null = null;
  #open: OpenUrl | null = null;
  #names = 0;
  #waitingBytes = 0;
  /** By hash. */
  readonly #waiting = new Map<string, { path: string; size: number }>();

  /** @param beginning of a string, with its escapes */
  claims(beginning: Buffer): boolean {
    return BEGINNING.test(beginning.toString('latin1'));
  }

  /** @param beginning the bytes of the URL so far; the caller must write the others */
  begin(beginning: Buffer): void {
    const path = this.#path(this.#names);
    const fd = withTemporarySpace(() => openSync(path, 'w', 0o600));
    this.#open = { hash: createHash('sha256').update(beginning), size: 0, fd };
  }

  write(bytes: Buffer): void {
    const open = this.#open;
    if (open === null) return;
    open.hash.update(bytes);
    open.size += bytes.length;
    if (this.#waitingBytes + open.size > MAX_WAITING_BYTES) this.drop();
    const { fd } = open;
    if (fd === null) return;
    withTemporarySpace(() => writeFileSync(fd, bytes));
  }

  /** The open URL is not kept: an escape in it is not that of a slash. */
  drop(): void {
    if (this.#open === null || this.#open.fd === null) return;
    closeSync(this.#open.fd);
    rmSync(this.#path(this.#names), { force: true });
    this.#open.fd = null;
  }

  /** @returns the end of the shortened URL */
  end(): string {
    const { hash, size, fd } = this.#open as OpenUrl;
    this.#open = null;
    const hex = hash.digest('hex');
    if (fd !== null) {
      closeSync(fd);
      this.discard(hex);
      this.#waiting.set(hex, { path: this.#path(this.#names++), size });
      this.#waitingBytes += size;
    }
    return `.${hex}`;
  }

  /** @returns null for another string */
  find(url: string): LongDataUrl | null {
    const [, head = '', beginning = '', hash] = HASH.exec(url) ?? [];
    if (hash === undefined) return null;
    const mediaType = head.slice('data:'.length).replace(/;base64$/i, '');
    return { hash, mediaType, chunks: () => decoded(beginning, this.#waiting.get(hash)?.path ?? null) };
  }

  /** Deletes the content of a URL, which is stored now, or not needed. */
  discard(hash: string): void {
    const found = this.#waiting.get(hash);
    if (found === undefined) return;
    rmSync(found.path, { force: true });
    this.#waiting.delete(hash);
    this.#waitingBytes -= found.size;
  }

  /** Forgets the open URL: its value has failed. */
  abandon(): void {
    this.drop();
    this.#open = null;
  }

  close(): void {
    this.abandon();
    this.#folder?.remove();
    this.#folder = null;
    this.#waiting.clear();
  }

  #path(n: number): string {
    this.#folder ??= withTemporarySpace(createTemporaryFolder);
    return join(this.#folder.path, `data-url-${n}`);
  }
}

/** @param path of the rest as JSON has it, whose only escapes are those of slashes */
async function* decoded(beginning: string, path: string | null): AsyncGenerator<Buffer> {
  if (path === null) throw new UnreadableError('a data URL is no base64, or there is no room for it');
  let [rest, isEnded] = ['', false];
  try {
    for await (const piece of pieces(beginning, path)) {
      if (!(isEnded ? /^=?$/ : /^[A-Za-z0-9+/]*={0,2}$/).test(piece))
        throw new UnreadableError('a data URL is no base64');
      isEnded ||= piece.endsWith('=');
      const text = rest + piece;
      const whole = text.length - (text.length % 4);
      rest = text.slice(whole);
      yield Buffer.from(text.slice(0, whole), 'base64');
    }
  } catch (error) {
    throw temporarySpaceFault(error);
  }
  yield Buffer.from(rest, 'base64');
}

async function* pieces(beginning: string, path: string): AsyncGenerator<string> {
  yield beginning;
  for await (const text of createReadStream(path, 'latin1') as AsyncIterable<string>) yield text.replaceAll('\\', '');
}
