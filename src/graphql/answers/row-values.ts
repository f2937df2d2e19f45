import type { DerivedValues } from '../loading/derived-values.js';

/** Values made of the rows of a list while it is written. */
export class RowValues {
  /** Characters of JSON that were parsed since the last turn. */
  parsedCharacters = 0;
  #row: object | null = null;
  #data: unknown;

  constructor(private readonly derived: DerivedValues) {}

  /** The parsed data of a row; those of the last row are kept. */
  dataOf(row: { readonly data: string }): unknown {
    if (row !== this.#row) {
      this.#data = JSON.parse(row.data);
      this.parsedCharacters += row.data.length;
      this.#row = row;
    }
    return this.#data;
  }

  /** Writes a field of a row once, where several aliases select it. */
  once<Row>(row: Row, name: string, write: (row: Row, values: RowValues) => string): string {
    return this.derived.get(row, `${name} as text`, () => write(row, this));
  }
}
