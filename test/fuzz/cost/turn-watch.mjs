/**
 * Loaded before the server: on request of the parent process, reports the longest turn of its event loop and the growth
 * of its memory since the last request. A turn counts the processor time of the thread if the system reports it,
 * otherwise its duration.
 */
import { readFileSync } from 'node:fs';
import { GCProfiler, getHeapStatistics } from 'node:v8';

/** The interval of the timer, in milliseconds: a longer interval is a turn. */
const EVERY_MS = 5;

/** Growth that is measured with a collection between turns, and the minimum interval of collections. */
const COLLECT_BYTES = 64 * 2 ** 20;
const COLLECT_EVERY_MS = 250;

/** The processor time of this thread so far, in milliseconds. */
function workedMs() {
  try {
    return Number(/^\d+/.exec(readFileSync('/proc/self/schedstat', 'latin1'))?.[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

function usedBytes() {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}

let turnMs = 0;
let [at, worked] = [performance.now(), workedMs()];

/** Memory at rest, and the largest after a collection. */
let restBytes = usedBytes();
let peakBytes = restBytes;
let collectAbove = Infinity;
let collectedAt = 0;
let profiler = new GCProfiler();
profiler.start();

/** Collections are no part of a turn. */
function collect() {
  globalThis.gc();
  const used = usedBytes();
  peakBytes = Math.max(peakBytes, used);
  collectAbove = used + COLLECT_BYTES;
  [at, worked] = [performance.now(), workedMs()];
  collectedAt = at;
  return used;
}

setInterval(() => {
  const [now, nowWorked] = [performance.now(), workedMs()];
  turnMs = Math.max(turnMs, Math.min(now - at, nowWorked - worked));
  [at, worked] = [now, nowWorked];
  // Only reachable memory counts.
  if (now - collectedAt > COLLECT_EVERY_MS && usedBytes() > collectAbove) collect();
}, EVERY_MS).unref();

/** The memory after the largest full collection of the server, which can be in the middle of a turn. */
function profiledPeakBytes() {
  const statistics = profiler.stop()?.statistics ?? [];
  profiler = new GCProfiler();
  profiler.start();
  const full = statistics.filter(({ gcType }) => gcType.startsWith('MarkSweep'));
  return full.reduce((most, { afterGC: { heapStatistics: after } }) => {
    return Math.max(most, after.usedHeapSize + after.externalMemory);
  }, 0);
}

process.on('message', (request) => {
  peakBytes = Math.max(peakBytes, profiledPeakBytes());
  process.send?.({
    turnMs,
    grownBytes: peakBytes - restBytes,
    residentBytes: process.memoryUsage.rss(),
    heapLimitBytes: getHeapStatistics().heap_size_limit,
  });
  if (request === 'rest') peakBytes = restBytes = collect();
  turnMs = 0;
});
// The server ends by itself or with its parent.
process.channel?.unref();
process.once('disconnect', () => process.exit(1));
