/**
 * The occupied rows of each lane with their colors, for small scales. Each level has twice as many rows per cell as the
 * level before, so that drawing reads few cells per pixel at any scale.
 */
import type { Layout } from './layout.js';

export interface Run {
  lane: number;
  /** The rows; the last is exclusive. */
  from: number;
  to: number;
  /** The color of its first row. */
  color: number;
}

export class Coverage {
  /** Per cell, a color and one; 0 for a free cell. */
  readonly #levels: Uint8Array[];

  /**
   * @param reach by segment, the last row of its lane
   * @param color by segment
   */
  constructor(
    private readonly layout: Layout,
    reach: Int32Array,
    color: Uint8Array,
  ) {
    const { lane, from, width, height } = layout;
    const cells = new Uint8Array(width * height);
    for (const [n, last] of reach.entries()) {
      const start = (lane[n] ?? 0) * height;
      cells.fill((color[n] ?? 0) + 1, start + (from[n] ?? 0), start + last + 1);
    }
    this.#levels = [cells];
  }

  /** The runs of one color between two rows, in cells of at least a number of rows: closer runs are merged. */
  runs(firstRow: number, lastRow: number, rowsInOne: number): Run[] {
    const level = Math.max(0, Math.floor(Math.log2(rowsInOne)));
    const [cells, rows, count] = [this.#level(level), 2 ** level, this.#cellsAt(level)];
    const first = Math.max(0, Math.floor(firstRow / rows));
    const last = Math.min(count - 1, Math.floor(lastRow / rows));
    const runs: Run[] = [];
    for (let lane = 0; lane < this.layout.width; lane++) {
      let before = -1;
      for (let cell = first; cell <= last; cell++) {
        const color = (cells[lane * count + cell] ?? 0) - 1;
        const to = (cell + 1) * rows;
        const run = runs.at(-1);
        if (color !== -1 && color === before && run !== undefined) run.to = to;
        else if (color !== -1) runs.push({ lane, from: cell * rows, to, color });
        before = color;
      }
    }
    return runs;
  }

  #cellsAt(level: number): number {
    return Math.ceil(this.layout.height / 2 ** level);
  }

  #level(level: number): Uint8Array {
    const there = this.#levels[level];
    if (there !== undefined) return there;
    const [finer, fine, count] = [this.#level(level - 1), this.#cellsAt(level - 1), this.#cellsAt(level)];
    const cells = new Uint8Array(this.layout.width * count);
    for (let lane = 0; lane < this.layout.width; lane++) {
      for (let n = fine - 1; n >= 0; n--) {
        const cell = finer[lane * fine + n] ?? 0;
        if (cell > 0) cells[lane * count + (n >> 1)] = cell;
      }
    }
    return (this.#levels[level] = cells);
  }
}
