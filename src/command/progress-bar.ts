import { Presets, SingleBar } from 'cli-progress';

/** Shows the progress of work; the first call shows the bar. */
export type UpdateProgress = (done: number, total: number) => void;

/** Shows a progress bar during `work`, only on a terminal: a log would fill with bars. */
export async function withProgress<Result>(
  stream: NodeJS.WriteStream | null,
  { unit, shown = String }: { unit: string; shown?: (amount: number) => string },
  work: (update: UpdateProgress) => Promise<Result>,
): Promise<Result> {
  if (stream === null) return work(() => {});
  const format = `{bar} {percentage}% | {done} of {all} ${unit}`;
  const bar = new SingleBar({ stream, format, clearOnComplete: true, hideCursor: true }, Presets.shades_classic);
  try {
    return await work((reached, total) => {
      const done = Math.min(reached, total);
      const texts = { done: shown(done), all: shown(total) };
      if (!bar.isActive) bar.start(total, 0, texts);
      bar.update(done, texts);
    });
  } finally {
    bar.stop();
  }
}
