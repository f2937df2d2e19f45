/** What a request costs the server: its processor time, which what else the machine does hardly changes, and its time. */
import { canReadCpuTime, cpuTime } from './cpu-time.js';
import { mapValues, median, timeOf, type Way } from './measure.js';
import type { Ratio } from './report.js';

/** In milliseconds. */
export interface Cost {
  /** NaN where the system does not report it. */
  cpu: number;
  time: number;
}

/** A request, and the process that answers it. */
export interface Load {
  pid: number;
  request: Way;
}

const REQUESTS_PER_TURN = 300;
const TURNS = 7;

/**
 * The mean processor time and the median time of a request, in some turns after one that does not count; requests come
 * one after the other. A median in hundredths would be too coarse.
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

function cpuSince(pid: number, before: number): number {
  return canReadCpuTime ? cpuTime(pid) - before : Number.NaN;
}

/** How much more processor time one takes than another; how much longer, beside it. */
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
