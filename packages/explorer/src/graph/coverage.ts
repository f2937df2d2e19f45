/**
 * The occupied rows of each lane, for small scales. Each level has twice as many rows per cell as the level before,
 * so that drawing reads few cells per pixel at any scale.
 */
import type { Layout } from './layout.js';

export interface Run {
  lane: number;
  /** The rows; the last is exclusive. */
  from: number;
  to: number;
}

export class Coverage {
  readonly #levels: Uint8Array[];

  /** @param reach by segment, the last row of its lane */
  constructor(
    private readonly layout: Layout,
    reach: Int32Array,
  ) {
    const { lane, top, width, height } = layout;
    const cells = new Uint8Array(width * height);
    for (const [n, last] of reach.entries()) {
      const start = (lane[n] ?? 0) * height;
      cells.fill(1, start + (top[n] ?? 0), start + last + 1);
    }
    this.#levels = [cells];
  }

  /** The runs between two rows, in cells of at least a number of rows: closer runs are merged. */
  runs(firstRow: number, lastRow: number, rowsInOne: number): Run[] {
    const level = Math.max(0, Math.floor(Math.log2(rowsInOne)));
    const [cells, rows, count] = [this.#level(level), 2 ** level, this.#cellsAt(level)];
    const first = Math.max(0, Math.floor(firstRow / rows));
    const last = Math.min(count - 1, Math.floor(lastRow / rows));
    const runs: Run[] = [];
    for (let lane = 0; lane < this.layout.width; lane++) {
      let run: Run | null = null;
      for (let cell = first; cell <= last; cell++) {
        if (cells[lane * count + cell] !== 1) run = null;
        else if (run === null) runs.push((run = { lane, from: cell * rows, to: (cell + 1) * rows }));
        else run.to = (cell + 1) * rows;
      }
    }
    return runs;
  }

  isOn(lane: number, row: number): boolean {
    return lane < this.layout.width && this.#level(0)[lane * this.layout.height + row] === 1;
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
      for (let n = 0; n < fine; n++) if (finer[lane * fine + n] === 1) cells[lane * count + (n >> 1)] = 1;
    }
    return (this.#levels[level] = cells);
  }
}
