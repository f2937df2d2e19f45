/** The effect of each flood of hostile clients: waits of the ordinary client, and memory. */
import { residentBytes } from '../../live/faults/resident-bytes.js';
import type { LatencyProbe, Waits } from './latency-probe.js';
import { row } from './report.js';
import type { MeasuredServer } from './scene.js';

interface Flood {
  times: [number, number][];
  resident: number;
}

export class FloodReport {
  readonly #floods = new Map<MeasuredServer, Map<string, Flood>>();

  constructor(private readonly probe: LatencyProbe) {}

  /** Records the end of a flood. @param start in milliseconds since 1970 */
  note(place: MeasuredServer, name: string, start: number): void {
    const floods = this.#floods.get(place) ?? new Map<string, Flood>();
    this.#floods.set(place, floods);
    const flood = floods.get(name) ?? { times: [], resident: 0 };
    floods.set(name, flood);
    flood.times.push([start, Date.now()]);
    flood.resident = Math.max(flood.resident, residentBytes(place.server.pid));
  }

  /** Waits of the ordinary client during the floods with these names. */
  waitsDuring(place: MeasuredServer, names: readonly string[]): Waits {
    const floods = this.#floods.get(place);
    return this.probe.during(
      place,
      names.flatMap((name) => floods?.get(name)?.times ?? []),
    );
  }

  print(place: MeasuredServer): void {
    const columns = [
      `${place.name}, meanwhile`,
      'times',
      'seconds',
      'p50 ms',
      'p99 ms',
      'max ms',
      'resident MB after it',
    ];
    console.log(`\n${row(columns)}\n${row(columns.map(() => '---'))}`);
    for (const [name, { times, resident }] of this.#floods.get(place) ?? []) {
      const { p50, p99, longest } = this.probe.during(place, times);
      const seconds = times.reduce((sum, [from, to]) => sum + to - from, 0) / 1000;
      const figures = [seconds, p50, p99, longest].map((value) => (Number.isNaN(value) ? '-' : value.toFixed(1)));
      console.log(row([name, String(times.length), ...figures, (resident / 1e6).toFixed(0)]));
    }
  }
}
