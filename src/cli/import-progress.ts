import { Presets, SingleBar } from 'cli-progress';
import type { SourceFile } from '../interchange/source-file.js';

/** A bar of the bytes read, on a terminal only: in a log it would be noise. */
export function showProgress(
  file: SourceFile,
  stream: NodeJS.WriteStream | null,
): { update: () => void; stop: () => void } {
  if (stream === null) return { update: () => {}, stop: () => {} };
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
  const bar = new SingleBar(
    { stream, format: '{bar} {percentage}% | {read} of {size} MB', clearOnComplete: true, hideCursor: true },
    Presets.shades_classic,
  );
  bar.start(file.size, 0, { read: megabytes(0), size: megabytes(file.size) });
  return {
    update: () => bar.update(file.bytesRead(), { read: megabytes(file.bytesRead()) }),
    stop: () => bar.stop(),
  };
}
