/** Rows that are written once and read several times: a few in memory, more in a temporary file. */
import { CollectedValue } from '@parley/interchange/server';

const ROWS_PER_BLOCK = 250;
const CHARACTERS_PER_BLOCK = 1024 * 1024;

export class KeptRows<Row extends object> {
  #open: Row[] = [];
  #characters = 0;
  readonly #text = new CollectedValue(0);
  /** The ends of its blocks of JSON. */
  readonly #ends: number[] = [];

  /** @param characters the approximate length of its JSON */
  add(row: Row, characters: number): void {
    if (this.#open.length === ROWS_PER_BLOCK || this.#characters + characters > CHARACTERS_PER_BLOCK) this.#writeOut();
    this.#open.push(row);
    this.#characters += characters;
  }

  async *all(): AsyncGenerator<readonly Row[]> {
    for (const [n, end] of this.#ends.entries()) {
      yield JSON.parse(this.#text.slice(this.#ends[n - 1] ?? 0, end).toString()) as Row[];
    }
    if (this.#open.length > 0) yield this.#open;
  }

  /** Deletes the temporary file. */
  close(): void {
    this.#text.close();
  }

  #writeOut(): void {
    if (this.#open.length === 0) return;
    this.#text.append(Buffer.from(JSON.stringify(this.#open)));
    this.#ends.push(this.#text.size);
    this.#open = [];
    this.#characters = 0;
  }
}
