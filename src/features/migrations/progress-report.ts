import { secondsSince, type MigrationOptions } from '../../database/writing/progress.js';

/**
 * Reports migrations one after the other.
 * @param total the number of missing migrations
 * @param done those of them that an earlier report has had
 */
export function reportMigrations(total: number, { onProgress }: Pick<MigrationOptions, 'onProgress'>, done = 0) {
  let [name, number, startedAt] = ['', done, 0];
  const report = (isDone: boolean, percent?: number) =>
    onProgress?.({
      name,
      number,
      total,
      ...(percent !== undefined && { percent }),
      seconds: secondsSince(startedAt),
      isDone,
    });
  return {
    start: (next: { name: string }) => {
      if (next.name === name) return;
      [name, number, startedAt] = [next.name, number + 1, performance.now()];
      report(false);
    },
    /** @param percent of the index that the migration builds */
    reach: (percent: number) => report(false, percent),
    end: () => report(true),
  };
}

export type MigrationReport = ReturnType<typeof reportMigrations>;
