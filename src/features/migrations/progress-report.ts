/** Reports migrations one after the other. */
import { secondsSince, type MigrationOptions } from '../../database/writing/progress.js';

export class ProgressReport {
  #number: number;
  #name = '';
  #startedAt = 0;

  /**
   * @param total the number of missing migrations
   * @param done those of them that an earlier report has had
   */
  constructor(
    private readonly total: number,
    private readonly options: Pick<MigrationOptions, 'onProgress'>,
    done = 0,
  ) {
    this.#number = done;
  }

  start({ name }: { name: string }): void {
    if (name === this.#name) return;
    this.#number++;
    this.#name = name;
    this.#startedAt = performance.now();
    this.#report(false);
  }

  reach(percent: number): void {
    this.#report(false, percent);
  }

  end(): void {
    this.#report(true);
  }

  #report(isDone: boolean, percent?: number): void {
    this.options.onProgress?.({
      name: this.#name,
      number: this.#number,
      total: this.total,
      ...(percent !== undefined && { percent }),
      seconds: secondsSince(this.#startedAt),
      isDone,
    });
  }
}
