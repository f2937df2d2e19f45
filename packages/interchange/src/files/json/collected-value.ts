/** The text of one JSON value while it is read: in memory, and above a limit in a temporary file. */
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder, type TemporaryFolder, withTemporarySpace } from '../temporary-space.js';

/** Bytes of a value that stay in memory. */
const MAX_IN_MEMORY = 16 * 1024 * 1024;

export class CollectedValue {
  #pieces: Buffer[] = [];
  #inMemory = 0;
  #spill: { folder: TemporaryFolder; fd: number; size: number } | null = null;

  /** @param maxInMemory bytes */
  constructor(private readonly maxInMemory = MAX_IN_MEMORY) {}

  /** In bytes. */
  get size(): number {
    return (this.#spill?.size ?? 0) + this.#inMemory;
  }

  append(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#inMemory += piece.length;
    if (this.#inMemory > this.maxInMemory) withTemporarySpace(() => this.#writeOut());
  }

  /** The bytes from one place to another. */
  slice(start: number, end: number): Buffer {
    const spilled = this.#spill?.size ?? 0;
    const parts: Buffer[] = [];
    if (this.#spill !== null && start < spilled) {
      const part = Buffer.allocUnsafe(Math.min(end, spilled) - start);
      for (let read = 0; read < part.length;) {
        read += readSync(this.#spill.fd, part, read, part.length - read, start + read);
      }
      parts.push(part);
    }
    if (end > spilled) {
      const whole = this.#whole();
      parts.push(whole.subarray(Math.max(start - spilled, 0), end - spilled));
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  /** Deletes the temporary file. */
  close(): void {
    this.#pieces = [];
    if (this.#spill === null) return;
    closeSync(this.#spill.fd);
    this.#spill.folder.remove();
    this.#spill = null;
  }

  /** Joins the pieces in memory and keeps the result. */
  #whole(): Buffer {
    if (this.#pieces.length !== 1) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0] as Buffer;
  }

  #writeOut(): void {
    if (this.#spill === null) {
      const folder = createTemporaryFolder();
      this.#spill = { folder, fd: openSync(join(folder.path, 'conversation'), 'w+', 0o600), size: 0 };
    }
    const whole = this.#whole();
    writeFileSync(this.#spill.fd, whole);
    this.#spill.size += whole.length;
    this.#pieces = [];
    this.#inMemory = 0;
  }
}
