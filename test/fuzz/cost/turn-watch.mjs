/**
 * Loaded before the server: reports the longest turn of its event loop on request of the parent process. A turn counts the
 * processor time of the thread if the system reports it, otherwise its duration.
 */
import { readFileSync } from 'node:fs';

/** The interval of the timer, in milliseconds: a longer interval is a turn. */
const EVERY_MS = 5;

/** The processor time of this thread so far, in milliseconds. */
function workedMs() {
  try {
    return Number(/^\d+/.exec(readFileSync('/proc/self/schedstat', 'latin1'))?.[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

let turnMs = 0;
let [at, worked] = [performance.now(), workedMs()];
setInterval(() => {
  const [now, nowWorked] = [performance.now(), workedMs()];
  turnMs = Math.max(turnMs, Math.min(now - at, nowWorked - worked));
  [at, worked] = [now, nowWorked];
}, EVERY_MS).unref();

process.on('message', () => {
  process.send?.({ turnMs, residentBytes: process.memoryUsage.rss() });
  turnMs = 0;
});
// The server ends by itself or with its parent.
process.channel?.unref();
process.once('disconnect', () => process.exit(1));
