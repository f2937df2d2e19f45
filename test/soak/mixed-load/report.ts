/** The results of the soak as Markdown: a line for each minute, and a table of quarters at the end. */
import type { Waits } from './latency-probe.js';
import type { Signs } from './vital-signs.js';
import { median, most } from './vital-signs.js';

/** The measurements of a server in a minute. */
export interface ServerMinute extends Signs, Waits {
  name: string;
}

export interface Minute {
  operations: number;
  attacks: number;
  events: number;
  faults: number;
  excused: number;
  unexpected: number;
  gaps: number;
  servers: readonly ServerMinute[];
}

const COUNTS = ['operations', 'events', 'attacks', 'faults', 'excused', 'unexpected', 'gaps'] as const;
const SIGNS = [
  'p50 ms',
  'p99 ms',
  'max ms',
  'heap MB',
  'resident MB',
  'loop lag ms',
  'descriptors',
  'sockets',
  'subscriptions',
];

export function heading(first: string): string {
  const columns = [first, ...COUNTS, 'server', ...SIGNS];
  return `${row(columns)}\n${row(columns.map(() => '---'))}`;
}

/** A line for each server; the first also has the measurements that concern all servers. */
export function lines(first: string, { servers, ...counts }: Minute): string {
  return servers
    .map((server, n) => {
      const shared = n === 0 ? [first, ...COUNTS.map((name) => String(counts[name]))] : ['', ...COUNTS.map(() => '')];
      return row([...shared, server.name, ...figuresOf(server)]);
    })
    .join('\n');
}

/** Minutes in four equal parts; the last also has the remainder. */
export function quarters(minutes: readonly Minute[]): Minute[][] {
  const size = Math.max(1, Math.floor(minutes.length / 4));
  return [0, 1, 2, 3].map((n) => minutes.slice(n * size, n === 3 ? undefined : (n + 1) * size));
}

/** Counts are summed. Metrics have the median of the minutes, and maxima the maximum. */
export function summary(minutes: readonly Minute[]): Minute {
  const sum = (name: (typeof COUNTS)[number]) => minutes.reduce((total, minute) => total + minute[name], 0);
  const counts = Object.fromEntries(COUNTS.map((name) => [name, sum(name)])) as Omit<Minute, 'servers'>;
  const servers = (minutes[0]?.servers ?? []).map(({ name }, n) => {
    const of = (sign: keyof Omit<ServerMinute, 'name'>) =>
      minutes.map((minute) => minute.servers[n]![sign]).filter((value) => !Number.isNaN(value));
    return {
      name,
      p50: median(of('p50')),
      p99: median(of('p99')),
      longest: most(of('longest')),
      heap: median(of('heap')),
      resident: median(of('resident')),
      lag: median(of('lag')),
      descriptors: most(of('descriptors')),
      sockets: most(of('sockets')),
      subscriptions: most(of('subscriptions')),
      cpu: most(of('cpu')),
    };
  });
  return { ...counts, servers };
}

function figuresOf(server: ServerMinute): string[] {
  const { p50, p99, longest, heap, resident, lag, descriptors, sockets, subscriptions } = server;
  const shown = (value: number, digits: number) => (Number.isNaN(value) ? '-' : value.toFixed(digits));
  return [
    ...[p50, p99, longest, heap / 1e6, resident / 1e6].map((value) => shown(value, 1)),
    ...[lag * 1000, descriptors, sockets, subscriptions].map((value) => shown(value, 0)),
  ];
}

export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
