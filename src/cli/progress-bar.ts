import { Presets, SingleBar } from 'cli-progress';

export interface ProgressBar {
  /** The first call shows the bar. */
  update(done: number, total: number): void;
  stop(): void;
}

/** Only on a terminal: a log would fill with bars. */
export function showProgress(
  stream: NodeJS.WriteStream | null,
  { unit, shown = String }: { unit: string; shown?: (amount: number) => string },
): ProgressBar {
  if (stream === null) return { update: () => {}, stop: () => {} };
  const format = `{bar} {percentage}% | {done} of {all} ${unit}`;
  const bar = new SingleBar({ stream, format, clearOnComplete: true, hideCursor: true }, Presets.shades_classic);
  return {
    update: (reached, total) => {
      const done = Math.min(reached, total);
      const texts = { done: shown(done), all: shown(total) };
      if (!bar.isActive) bar.start(total, 0, texts);
      bar.update(done, texts);
    },
    stop: () => bar.stop(),
  };
}
