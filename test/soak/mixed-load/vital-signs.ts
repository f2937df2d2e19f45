/** How a server is, by its own metrics: looked at every few seconds, and told by the minute. */
import { onTestFinished } from 'vitest';
import type { Judged } from './scene.js';

/** How often to look, in milliseconds. */
const INTERVAL_MS = 5_000;

export interface Signs {
  /** Bytes of the heap in use. Of a minute the least: that is closest to what is left after a collection. */
  heap: number;
  /** Resident bytes: of a minute the median. */
  resident: number;
  /** Of the event loop, 99th percentile, in seconds: of a minute the most. */
  lag: number;
  /** Descriptors, WebSockets and subscriptions that are open: of a minute the most. */
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
  // Told on Linux only; elsewhere 0.
  descriptors: 'process_open_fds',
  sockets: 'parley_websockets',
  subscriptions: 'parley_subscriptions',
  cpu: 'process_cpu_seconds_total',
};

/** How a server is now. */
export async function readSigns({ metricsUrl }: Judged): Promise<Signs> {
  const text = await (await fetch(metricsUrl)).text();
  const valueOf = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
  return Object.fromEntries(Object.entries(NAMES).map(([sign, name]) => [sign, valueOf(name)])) as unknown as Signs;
}

/** Looks at a server until it is told to stop, or the test is over. */
export class Watch {
  #seen: Signs[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(place: Judged) {
    this.#timer = setInterval(() => void this.#look(place), INTERVAL_MS);
    onTestFinished(() => this.stop());
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** What it has seen since it was asked last: NaN where that is nothing. */
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

  /** A look in vain is one that is missing, and no reason to end. */
  async #look(place: Judged): Promise<void> {
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

/** NaN of none. */
export function most(values: readonly number[]): number {
  return values.length === 0 ? NaN : Math.max(...values);
}

/** NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
