/** The progress of a database with content to the present version: its migrations, and fills in steps. */

/** Between two lines about the same migration or fill. */
const LINE_INTERVAL_MS = 10_000;

/** A migration that runs or has ended. */
export interface MigrationProgress {
  /** Such as 0011_graphs. */
  name: string;
  /** Its number among the missing migrations, from 1. */
  number: number;
  total: number;
  /** The progress of the index that it builds; absent for other migrations. */
  percent?: number;
  /** Since its start. */
  seconds: number;
  isDone: boolean;
}

/** A fill of values that messages of older versions lack, in committed steps. */
export interface FillProgress {
  fill: 'search index' | 'message hashes';
  /** Messages that this process has filled, or found to be indexed. */
  done: number;
  /** Messages without a hash at the start, or all for the search index. */
  total: number;
  /** Since its start. */
  seconds: number;
  isDone: boolean;
}

export type Progress = MigrationProgress | FillProgress;

export interface MigrationOptions {
  /** Called at the start and at the end of each migration and fill, and after its steps. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Ends the running migration, without changes, or the fill after its step. */
  signal?: AbortSignal | undefined;
}

type ProgressOptions = Pick<MigrationOptions, 'onProgress'>;

export class FillReport {
  readonly #startedAt = performance.now();
  #done = 0;

  constructor(
    private readonly fill: FillProgress['fill'],
    private readonly total: number,
    private readonly options: ProgressOptions,
  ) {
    this.#report(false);
  }

  add(messages: number): void {
    this.#done += messages;
    this.#report(false);
  }

  end(): void {
    this.#report(true);
  }

  #report(isDone: boolean): void {
    // Messages that were saved meanwhile are filled, too.
    const total = Math.max(this.total, this.#done);
    const seconds = secondsSince(this.#startedAt);
    this.options.onProgress?.({ fill: this.fill, done: this.#done, total, seconds, isDone });
  }
}

export const secondsSince = (start: number) => Math.round((performance.now() - start) / 100) / 10;

/** A receiver of progress that writes lines: the first, the last, and at intervals one of those between. */
export function progressLog(log: (line: string) => void): (progress: Progress) => void {
  let subject = '';
  let loggedAt = 0;
  return (progress) => {
    const now = performance.now();
    const next = 'fill' in progress ? progress.fill : progress.name;
    if (next === subject && !progress.isDone && now - loggedAt < LINE_INTERVAL_MS) return;
    subject = progress.isDone ? '' : next;
    loggedAt = now;
    log(progressLine(progress));
  };
}

function progressLine(progress: Progress): string {
  const seconds = progress.seconds.toFixed(1);
  if ('fill' in progress) {
    const state = `Fill of ${progress.fill}, ${progress.done} of ${progress.total} messages`;
    return progress.isDone ? `${state}, took ${seconds} seconds` : `${state}, after ${seconds} seconds`;
  }
  const migration = `Migration ${progress.name}, ${progress.number} of ${progress.total}`;
  if (progress.isDone) return `${migration}, took ${seconds} seconds`;
  return progress.percent === undefined
    ? `${migration}, started`
    : `${migration}, ${progress.percent} % of the index, after ${seconds} seconds`;
}
