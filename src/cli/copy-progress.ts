import { Presets, SingleBar } from 'cli-progress';
import type { CopyProgress } from '../database/copy/copy-database.js';

/** A bar of the messages copied, on a terminal only: in a log it would be noise. */
export function showCopyProgress(stream: NodeJS.WriteStream | null): { update: CopyProgress; stop: () => void } {
  if (stream === null) return { update: () => {}, stop: () => {} };
  const bar = new SingleBar(
    { stream, format: '{bar} {percentage}% | {value} of {total} messages', clearOnComplete: true, hideCursor: true },
    Presets.shades_classic,
  );
  return {
    update: (done, total) => {
      if (!bar.isActive) bar.start(total, 0);
      bar.update(Math.min(done, total));
    },
    stop: () => bar.stop(),
  };
}
