/** The verdict of the soak: each failed check as a sentence. */
import { mostResidentBytes, residentBytes } from '../../live/faults/resident-bytes.js';
import type { Waits } from './latency-probe.js';
import { quarters, summary, type Minute } from './report.js';
import type { MeasuredServer } from './scene.js';
import { readSigns, type Signs } from './vital-signs.js';

/**
 * Limit of the last quarter's memory, as a ratio of the second. In the first quarter code is compiled, and pools,
 * caches and chats fill up. A leak per operation is visible: at 30 operations a second, 1 KB each is 54 MB from quarter
 * to quarter.
 */
const FLAT = 1.15;

/** Growth that counts as flat memory, in bytes: collections are rare. */
const NOISE_BYTES = 6e6;

/** Additional connections to a database that may stay open after a load: those of a pool. */
const POOLED = 12;

/** Time for closing open connections, in milliseconds: half-open sockets are closed after a minute. */
const PATIENCE_MS = 150_000;

/**
 * Limits of a server's resident memory with 512 MiB of heap, in bytes, and of its memory at rest, as a ratio of the
 * memory before the load.
 */
const MAX_RESIDENT_BYTES = 1024 ** 3;
const BACK = 1.3;

/** Pages that SQLite keeps for its main connections, one that reads and one that writes: `CACHE` of src/database/drivers/sqlite.ts. */
const SQLITE_PAGES_BYTES = 2 * 64_000 * 1024;

/** @param ending the counts during the end of the load */
export function faultsOfMinutes(minutes: readonly Minute[], ending: Minute): string[] {
  const { operations, unexpected, gaps, servers } = summary([...minutes, ending]);
  const faults = [];
  if (operations === 0) faults.push('nothing was asked');
  if (unexpected > 0) faults.push(`${unexpected} errors were not expected`);
  if (gaps > 0) faults.push(`${gaps} followers were not told everything once and in order`);
  const [, second, , last] = quarters(minutes).map(summary);
  for (const [n, { name }] of servers.entries()) {
    for (const sign of ['heap', 'resident'] as const) {
      const [before, after] = [second!.servers[n]![sign], last!.servers[n]![sign]];
      const ratio = after / before;
      const isFlat = ratio <= FLAT || after - before <= NOISE_BYTES;
      console.log(`${name}, ${sign}: the last quarter has ${ratio.toFixed(2)} times the memory of the second`);
      if (!isFlat) faults.push(`${name}, ${sign}: ${before} bytes in the second quarter, and ${after} in the last`);
    }
  }
  return faults;
}

/**
 * Waits until a server has released the memory of the load.
 * @param warm its memory before the first hostile client
 */
export async function faultsOfMemory({ name, server }: MeasuredServer, warm: number): Promise<string[]> {
  const most = mostResidentBytes(server.pid);
  const back = warm * BACK + (name === 'SQLite' ? SQLITE_PAGES_BYTES : 0);
  const faults = most > MAX_RESIDENT_BYTES ? [`${name}: ${mb(most)} resident at most`] : [];
  let now = residentBytes(server.pid);
  for (const start = Date.now(); now > back && Date.now() - start < PATIENCE_MS; now = residentBytes(server.pid)) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  console.log(`${name}: resident before hostile clients ${mb(warm)}, at most ${mb(most)}, in rest ${mb(now)}`);
  return now > back ? [...faults, `${name}: ${mb(now)} resident in rest, and ${mb(warm)} before`] : faults;
}

/** The longest small query of another user during attacks, as a ratio of 99th percentiles. */
const MAX_SLOWDOWN = 10;

/**
 * @param attacks the kind of the attacks
 * @param quiet durations before the first attack
 * @param hostile durations during the attacks
 */
export function faultsOfWaits({ name }: MeasuredServer, attacks: string, quiet: Waits, hostile: Waits): string[] {
  const ratio = hostile.p99 / quiet.p99;
  const figures = `p99 ${hostile.p99.toFixed(1)} ms during ${attacks}, ${quiet.p99.toFixed(1)} ms before`;
  console.log(`${name}: ${figures}, a ratio of ${ratio.toFixed(1)}`);
  return ratio <= MAX_SLOWDOWN ? [] : [`${name}: ${figures}: the limit is a ratio of ${MAX_SLOWDOWN}`];
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

/** Waits until a server has closed unused connections. @returns the open ones, as sentences */
export async function faultsOfRest(place: MeasuredServer, idle: Signs): Promise<string[]> {
  for (const start = Date.now(); ;) {
    const { sockets, subscriptions, descriptors } = await readSigns(place);
    const faults = [
      ...(sockets > 0 ? [`${place.name}: ${sockets} sockets are open after the load`] : []),
      ...(subscriptions > 0 ? [`${place.name}: ${subscriptions} subscriptions go on after the load`] : []),
      ...(descriptors > idle.descriptors + POOLED
        ? [`${place.name}: ${descriptors} descriptors are open after the load, and ${idle.descriptors} were before it`]
        : []),
    ];
    if (faults.length === 0) {
      const seconds = Math.round((Date.now() - start) / 1000);
      console.log(
        `${place.name}: ${descriptors} descriptors after ${seconds} s of rest, ${idle.descriptors} at the start`,
      );
      return [];
    }
    if (Date.now() - start > PATIENCE_MS) return faults;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}
