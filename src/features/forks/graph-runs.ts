/** The parents of all messages of a chat, from its rows in message_runs: without a row, it is the message saved before. */
import { DamagedDataError } from '../../conversation/errors.js';
import { firstIndex } from '../../system/sorted.js';
import type { Row } from '../../conversation/tables.js';

/** A range of seqs, both ends inclusive. */
export interface SeqBounds {
  readonly firstSeq: number;
  readonly lastSeq: number;
}

type Run = Omit<Row<'message_runs'>, 'chatId'>;

export class GraphRuns {
  readonly #runs: (Run & { depth: number })[] = [];

  /**
   * @param rows ordered by seq
   * @param lastSeq the seq of the newest message; 0 for none
   */
  constructor(
    rows: readonly Run[],
    private readonly lastSeq: number,
  ) {
    for (const { seq, parentSeq } of lastSeq === 0 ? [] : [{ seq: 1, parentSeq: null }, ...rows]) {
      if (parentSeq !== null && parentSeq >= seq) throw new DamagedDataError(`message ${seq} precedes its parent`);
      const depth = parentSeq === null ? 0 : this.depthOf(parentSeq) + 1;
      this.#runs.push({ seq, parentSeq, depth });
    }
  }

  depthOf(seq: number): number {
    const { seq: firstSeq, depth } = this.#runOf(seq);
    return depth + seq - firstSeq;
  }

  /** Null for a root. */
  parentOf(seq: number): number | null {
    const run = this.#runOf(seq);
    return run.seq === seq ? run.parentSeq : seq - 1;
  }

  /** The path to a message, root first: in each range, every message is the parent of the next. */
  pathTo(seq: number): SeqBounds[] {
    return [...this.#upFrom(seq)].reverse();
  }

  /** The newest message of each run, in order. */
  ends(): number[] {
    return this.#runs.map((_, n) => (this.#runs[n + 1]?.seq ?? this.lastSeq + 1) - 1);
  }

  /** Returns a function that returns the part of a path that no earlier call has returned, root first. */
  uncovered(): (seq: number) => SeqBounds[] {
    /** The last covered message of each run: paths cover the beginnings of runs. */
    const covered = new Map<number, number>();
    return (seq) => {
      const fresh: SeqBounds[] = [];
      for (const { firstSeq, lastSeq } of this.#upFrom(seq)) {
        const last = covered.get(firstSeq);
        if (last === undefined || last < lastSeq) {
          covered.set(firstSeq, lastSeq);
          fresh.push({ firstSeq: (last ?? firstSeq - 1) + 1, lastSeq });
        }
        if (last !== undefined) break;
      }
      return fresh.reverse();
    };
  }

  *#upFrom(seq: number): Generator<SeqBounds> {
    for (let lastSeq: number | null = seq; lastSeq !== null;) {
      const { seq: firstSeq, parentSeq }: Run = this.#runOf(lastSeq);
      yield { firstSeq, lastSeq };
      lastSeq = parentSeq;
    }
  }

  #runOf(seq: number): Run & { depth: number } {
    const after = firstIndex(this.#runs.length, (n) => (this.#runs[n]?.seq ?? Infinity) > seq);
    const run = this.#runs[Math.max(0, after - 1)];
    if (run === undefined) throw new DamagedDataError(`message ${seq} is missing`);
    return run;
  }
}

export function lengthOf(ranges: readonly SeqBounds[]): number {
  return ranges.reduce((sum, { firstSeq, lastSeq }) => sum + lastSeq - firstSeq + 1, 0);
}

/** @param ranges disjoint, in order */
export function includes(ranges: readonly SeqBounds[], seq: number): boolean {
  const range = ranges[firstIndex(ranges.length, (n) => (ranges[n]?.lastSeq ?? Infinity) >= seq)];
  return range !== undefined && range.firstSeq <= seq;
}
