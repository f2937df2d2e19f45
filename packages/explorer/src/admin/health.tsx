import { useEffect, useState, type ReactNode } from 'react';

const EVERY_SECONDS = 5;

/** The readiness and the metrics of the server, read every five seconds. */
export function Health(): ReactNode {
  const [isReady, setIsReady] = useState<boolean | null>(null);
  const [glance, setGlance] = useState<Glance | null>(null);
  useEffect(() => {
    let before: Metrics | null = null;
    const refresh = async () => {
      const [ready, metrics] = await Promise.all([fetch('/health/ready'), fetch('/metrics')]);
      setIsReady(ready.ok);
      // With a separate port for metrics, this port has none.
      if (!metrics.ok) return;
      const now = metricsOf(await metrics.text());
      setGlance(glanceAt(now, before, EVERY_SECONDS));
      before = now;
    };
    const tryToRefresh = () => void refresh().catch(() => setIsReady(false));
    tryToRefresh();
    const timer = setInterval(tryToRefresh, EVERY_SECONDS * 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <p role="status">
        {isReady === null ? 'Loading…' : isReady ? 'The server is ready.' : 'The server is not ready.'}
      </p>
      {glance !== null && (
        <dl className="glance">
          <Figure label="Operations per second" value={glance.operations?.toFixed(1)} />
          <Figure label="Milliseconds per operation" value={glance.duration?.toFixed(1)} />
          <Figure label="Subscriptions" value={glance.subscriptions.toLocaleString()} />
          <Figure label="Connections" value={glance.connections.toLocaleString()} />
          <Figure label="Memory, MB" value={Math.round(glance.residentBytes / 1e6).toLocaleString()} />
        </dl>
      )}
    </>
  );
}

function Figure({ label, value = '–' }: { label: string; value?: string | undefined }): ReactNode {
  return (
    <div className="panel">
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** The sum of all series of each name: see docs/operations.md#metrics. */
type Metrics = ReadonlyMap<string, number>;

/** Reads Prometheus's text format. */
function metricsOf(text: string): Metrics {
  const sums = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, name, value] = /^(\w+)(?:\{.*\})? (\S+)$/.exec(line) ?? [];
    if (name !== undefined) sums.set(name, (sums.get(name) ?? 0) + Number(value));
  }
  return sums;
}

interface Glance {
  /** Per second; null before the second read. */
  operations: number | null;
  /** The mean duration of those operations in milliseconds; null without operations. */
  duration: number | null;
  subscriptions: number;
  connections: number;
  residentBytes: number;
}

/** @param seconds between both reads */
function glanceAt(now: Metrics, before: Metrics | null, seconds: number): Glance {
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
