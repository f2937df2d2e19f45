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
  /** Receives the text of each statement. */
  onStatement: ((sql: string) => void) | undefined;
  /** Receives a log line. */
  log: (line: string) => void;
}

export interface Telemetry {
  readonly metrics: Metrics;
  readonly observer: Observer;
  /** Called with the text of each completed statement. */
  statement(sql: string, details: Omit<StatementRun, 'sql'>): void;
  /** Sends the remaining spans. Settles within seconds; never rejects. */
  stop(): Promise<void>;
}

export async function createTelemetry({
  database,
  traceEndpoint,
  serviceName,
  onStatement,
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
    statement: (sql, details) => {
      onStatement?.(sql);
      metrics.countStatement(details);
      traces?.statement({ sql, ...details });
    },
    stop: async () => traces?.stop(),
  };
}
