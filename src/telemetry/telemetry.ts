/** Combines the observers of a server. */
import { Metrics } from './metrics.js';
import { Observer, type ObserverOptions } from './observer.js';
import type { StatementRun } from './statement-run.js';
import { createTraces } from './traces.js';

export interface TelemetryOptions extends Omit<ObserverOptions, 'metrics' | 'traces'> {
  /** Kind of the database. */
  database: 'sqlite' | 'postgresql' | 'sqlserver';
  /** URL of an OpenTelemetry collector; without it nothing is traced. */
  traceEndpoint: string | undefined;
  serviceName: string;
  /** Receives a log line. */
  log: (line: string) => void;
}

export interface Telemetry {
  readonly metrics: Metrics;
  readonly observer: Observer;
  /** Called with each completed statement. */
  statement(run: StatementRun): void;
  /** Sends the remaining spans. Settles within seconds; never rejects. */
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
