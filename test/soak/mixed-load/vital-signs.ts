/** Samples the metrics of a server every few seconds and summarizes each minute. */
import { onTestFinished } from 'vitest';
import type { MeasuredServer } from './scene.js';

/** The interval of samples, in milliseconds. */
const INTERVAL_MS = 5_000;

export interface Signs {
  /** Used bytes of the heap. A minute has its minimum, which is closest to the heap after a collection. */
  heap: number;
  /** Resident bytes; a minute has its median. */
  resident: number;
  /** The 99th percentile of the event loop's delay, in seconds; a minute has its maximum. */
  lag: number;
  /** Open descriptors, WebSockets and subscriptions; a minute has their maximum. */
  descriptors: number;
  sockets: number;
  subscriptions: number;
  /** Seconds of processor time since the start. */
  cpu: number;
}

const NAMES: Readonly<Record<keyof Signs, string>> = {
  heap: 'nodejs_heap_size_used_bytes',
  resident: 'process_resident_memory_bytes',
  lag: 'nodejs_eventloop_lag_p99_seconds',
  // Linux only; elsewhere 0.
  descriptors: 'process_open_fds',
  sockets: 'parley_websockets',
  subscriptions: 'parley_subscriptions',
  cpu: 'process_cpu_seconds_total',
};

/** Reads the metrics of a server. */
export async function readSigns({ metricsUrl }: MeasuredServer): Promise<Signs> {
  const text = await (await fetch(metricsUrl)).text();
  const valueOf = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
  return Object.fromEntries(Object.entries(NAMES).map(([sign, name]) => [sign, valueOf(name)])) as unknown as Signs;
}

/** Samples a server until it is stopped or the test ends. */
export class Watch {
  #seen: Signs[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(place: MeasuredServer) {
    this.#timer = setInterval(() => void this.#look(place), INTERVAL_MS);
    onTestFinished(() => this.stop());
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The summary since the last call: NaN without samples. */
  take(): Signs {
    const all = this.#seen;
    this.#seen = [];
    const of = (sign: keyof Signs) => all.map((signs) => signs[sign]);
    return {
      heap: least(of('heap')),
      resident: median(of('resident')),
      lag: most(of('lag')),
      descriptors: most(of('descriptors')),
      sockets: most(of('sockets')),
      subscriptions: most(of('subscriptions')),
      cpu: most(of('cpu')),
    };
  }

  /** A failed sample is skipped. */
  async #look(place: MeasuredServer): Promise<void> {
    try {
      this.#seen.push(await readSigns(place));
    } catch (error) {
      console.log(`${place.name}: no metrics: ${String(error)}`);
    }
  }
}

function least(values: readonly number[]): number {
  return values.length === 0 ? NaN : Math.min(...values);
}

/** NaN for an empty list. */
export function most(values: readonly number[]): number {
  return values.length === 0 ? NaN : Math.max(...values);
}

/** NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
