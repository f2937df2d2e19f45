/** All that watches a server, put together. */
import { Metrics } from './metrics.js';
import { Observer, type ObserverOptions } from './observer.js';
import type { StatementRun } from './statement-run.js';
import { createTraces } from './traces.js';

export interface TelemetryOptions extends Omit<ObserverOptions, 'metrics' | 'traces'> {
  /** Which kind of database it is on. */
  database: 'sqlite' | 'postgresql' | 'sqlserver';
  /** Of a collector of OpenTelemetry; without it nothing is traced. */
  traceEndpoint: string | undefined;
  serviceName: string;
  /** Takes a line about what goes on. */
  log: (line: string) => void;
}

export interface Telemetry {
  readonly metrics: Metrics;
  readonly observer: Observer;
  /** A statement has been answered. */
  statement(run: StatementRun): void;
  /** Sends what has not been sent. Settles within seconds; never rejects. */
  stop(): Promise<void>;
}

export async function createTelemetry({
  database,
  traceEndpoint,
  serviceName,
  log,
  ...options
}: TelemetryOptions): Promise<Telemetry> {
  const metrics = new Metrics();
  const system = database === 'sqlserver' ? 'microsoft.sql_server' : database;
  const traces =
    traceEndpoint === undefined
      ? null
      : await createTraces({ endpoint: traceEndpoint, serviceName, database: system, log });
  return {
    metrics,
    observer: new Observer({ ...options, metrics, traces }),
    statement: (run) => {
      metrics.countStatement(run);
      traces?.statement(run);
    },
    stop: async () => traces?.stop(),
  };
}
