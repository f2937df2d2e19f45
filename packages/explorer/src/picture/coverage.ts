/**
 * Which rows of each lane something is on, from far away: there, a pixel is many rows. Each level has twice as many rows in a
 * cell as the one before, so that what is seen is never more than a few cells a pixel, whatever there is.
 */
import type { Layout } from './layout.js';

export interface Run {
  lane: number;
  /** Rows, the last one exclusive. */
  from: number;
  to: number;
}

export class Coverage {
  readonly #levels: Uint8Array[];

  /** @param reach by segment, the last row that its lane goes on to */
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

  /** What there is between two rows, so many rows in one at least: what is nearer to each other than that is one. */
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
