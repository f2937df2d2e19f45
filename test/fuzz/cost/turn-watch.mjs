/**
 * Loaded before the server: tells whoever has started it, when asked, how long the longest turn of its event loop was. Of a
 * turn counts what its thread has worked in it, where the system tells, and not how long others had its processor.
 */
import { readFileSync } from 'node:fs';

/** How often a timer looks, in milliseconds: what has kept it from that is a turn. */
const EVERY_MS = 5;

/** What this thread has worked so far, in milliseconds. */
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
