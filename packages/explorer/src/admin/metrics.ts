/** The main metrics of the server: docs/operations.md#metrics. */

/** The sum of all series of each name. */
export type Metrics = ReadonlyMap<string, number>;

/** Reads Prometheus's text format. */
export function metricsOf(text: string): Metrics {
  const sums = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, name, value] = /^(\w+)(?:\{.*\})? (\S+)$/.exec(line) ?? [];
    if (name !== undefined) sums.set(name, (sums.get(name) ?? 0) + Number(value));
  }
  return sums;
}

export interface Glance {
  /** Per second; null before the second read. */
  operations: number | null;
  /** The mean duration of those operations in milliseconds; null without operations. */
  duration: number | null;
  subscriptions: number;
  connections: number;
  residentBytes: number;
}

/** @param seconds between both reads */
export function glanceAt(now: Metrics, before: Metrics | null, seconds: number): Glance {
  const value = (name: string) => now.get(name) ?? 0;
  const since = (name: string) => value(name) - (before?.get(name) ?? 0);
  const operations = since('parley_operations_total');
  const duration = since('parley_operation_duration_seconds_sum') / since('parley_operation_duration_seconds_count');
  return {
    operations: before === null ? null : operations / seconds,
    duration: before === null || !Number.isFinite(duration) ? null : 1_000 * duration,
    subscriptions: value('parley_subscriptions'),
    connections: value('parley_connections'),
    residentBytes: value('process_resident_memory_bytes'),
  };
}
