/** The progress of the migrations of a database with content. */

/** A migration that runs or has ended. */
export interface MigrationProgress {
  /** Such as 0011_graphs. */
  name: string;
  /** Its number among the missing migrations, from 1. */
  number: number;
  /** The number of missing migrations. */
  total: number;
  /** Since its start. */
  seconds: number;
  isDone: boolean;
}

export interface MigrationOptions {
  /** Called at the start and at the end of each migration. */
  onProgress?: ((progress: MigrationProgress) => void) | undefined;
  /** Ends the running migration; nothing is changed then. */
  signal?: AbortSignal | undefined;
}

/** Reports migrations one after the other. */
export class ProgressReport {
  #number = 0;
  #name = '';
  #startedAt = 0;

  constructor(
    private readonly total: number,
    private readonly options: Pick<MigrationOptions, 'onProgress'>,
  ) {}

  start({ name }: { name: string }): void {
    if (name === this.#name) return;
    this.#number++;
    this.#name = name;
    this.#startedAt = performance.now();
    this.#report(false);
  }

  end(): void {
    this.#report(true);
  }

  #report(isDone: boolean): void {
    const seconds = Math.round((performance.now() - this.#startedAt) / 100) / 10;
    this.options.onProgress?.({ name: this.#name, number: this.#number, total: this.total, seconds, isDone });
  }
}

/** A line for logs. */
export function progressLine({ name, number, total, seconds, isDone }: MigrationProgress): string {
  const migration = `Migration ${name}, ${number} of ${total}`;
  return isDone ? `${migration}, took ${seconds.toFixed(1)} seconds` : `${migration}, started`;
}
