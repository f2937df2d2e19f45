/**
 * The cost of a request for the server: its processor time, which depends little on other load of the machine, and its
 * duration.
 */
import { canReadCpuTime, cpuTime } from './cpu-time.js';
import { mapValues, median, timeOf, type Way } from './measure.js';
import type { Ratio } from './report.js';

/** In milliseconds. */
export interface Cost {
  /** NaN if the system does not report it. */
  cpu: number;
  time: number;
}

/** A request, and the process that responds to it. */
export interface Load {
  pid: number;
  request: Way;
}

const REQUESTS_PER_TURN = 300;
const TURNS = 7;

/**
 * The mean processor time and the median duration of sequential requests, in several turns after a warm-up. A median of
 * processor times would be too coarse at hundredths of a second.
 */
export async function costs<K extends string>(loads: Record<K, Load>): Promise<Record<K, Cost>> {
  const measured = mapValues(loads, () => ({ cpu: 0, times: [] as number[] }));
  for (let turn = -1; turn < TURNS; turn++) {
    for (const name of Object.keys(loads) as K[]) {
      const { pid, request } = loads[name];
      const times: number[] = [];
      const before = cpuSince(pid, 0);
      for (let n = 0; n < REQUESTS_PER_TURN; n++) times.push(await timeOf(request));
      if (turn < 0) continue;
      measured[name].cpu += cpuSince(pid, before);
      measured[name].times.push(...times);
    }
  }
  return mapValues(measured, ({ cpu, times }) => ({ cpu: cpu / times.length, time: median(times) }));
}

/** The processor time of a process since another one; NaN if the system does not report it. */
export function cpuSince(pid: number, before: number): number {
  return canReadCpuTime ? cpuTime(pid) - before : Number.NaN;
}

/** The ratio of two processor times, with the ratio of the durations as detail. */
export function cpuRatioOf(what: string, cost: Cost, baseline: Cost, goal?: number): Ratio {
  const [cpu, time] = [pairOf(cost.cpu, baseline.cpu), pairOf(cost.time, baseline.time)];
  return {
    what: `${what}: processor time of the server`,
    ratio: Number.isNaN(cost.cpu) ? null : cost.cpu / baseline.cpu,
    ...(goal !== undefined && { goal }),
    detail: `${cpu}; it took ${time}, ${(cost.time / baseline.time).toFixed(2)}`,
  };
}

function pairOf(value: number, baseline: number): string {
  return `${value.toFixed(2)} ms against ${baseline.toFixed(2)} ms`;
}
