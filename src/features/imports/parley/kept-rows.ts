/** Rows that are written once and read several times: a few in memory, more in a temporary file. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder, type TemporaryFolder, withTemporarySpace } from '@parley/interchange/server';

const ROWS_PER_BLOCK = 250;
const CHARACTERS_PER_BLOCK = 1024 * 1024;

export class KeptRows<Row extends object> {
  #open: Row[] = [];
  #characters = 0;
  readonly #blocks: { at: number; size: number }[] = [];
  #size = 0;
  #file: { folder: TemporaryFolder; fd: number } | null = null;

  /** @param characters the approximate length of its JSON */
  add(row: Row, characters: number): void {
    if (this.#open.length === ROWS_PER_BLOCK || this.#characters + characters > CHARACTERS_PER_BLOCK) {
      withTemporarySpace(() => this.#writeOut());
    }
    this.#open.push(row);
    this.#characters += characters;
  }

  async *all(): AsyncGenerator<readonly Row[]> {
    for (const { at, size } of this.#blocks) {
      const block = Buffer.alloc(size);
      for (let read = 0; read < size;) read += readSync(this.#file?.fd as number, block, read, size - read, at + read);
      yield JSON.parse(block.toString()) as Row[];
    }
    if (this.#open.length > 0) yield this.#open;
  }

  /** Deletes the temporary file. */
  close(): void {
    if (this.#file === null) return;
    closeSync(this.#file.fd);
    this.#file.folder.remove();
    this.#file = null;
  }

  #writeOut(): void {
    if (this.#open.length === 0) return;
    if (this.#file === null) {
      const folder = createTemporaryFolder();
      this.#file = { folder, fd: openSync(join(folder.path, 'rows'), 'w+', 0o600) };
    }
    const block = Buffer.from(JSON.stringify(this.#open));
    for (let written = 0; written < block.length;) {
      written += writeSync(this.#file.fd, block, written, block.length - written, this.#size + written);
    }
    this.#blocks.push({ at: this.#size, size: block.length });
    this.#size += block.length;
    this.#open = [];
    this.#characters = 0;
  }
}
