/** Combines the observers of a server. */
import { Metrics, type Readings } from './metrics.js';
import { RequestObserver, type ObserverOptions } from './request-observer.js';
import { createTraces, type StatementRun } from './traces.js';

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

export async function createTelemetry(options: TelemetryOptions) {
  const { database, traceEndpoint: endpoint, serviceName, onStatement, log } = options;
  const metrics = new Metrics();
  const system = database === 'sqlserver' ? 'microsoft.sql_server' : database;
  const traces = endpoint === undefined ? null : await createTraces({ endpoint, serviceName, database: system, log });
  return {
    /** Of the metrics. */
    registry: metrics.registry,
    observer: new RequestObserver({ ...options, metrics, traces }),
    /** Called with each completed statement. */
    statement: (sql: string, details: Omit<StatementRun, 'sql'>) => {
      onStatement?.(sql);
      metrics.countStatement(details);
      traces?.statement({ sql, ...details });
    },
    /** Reads a part of the server at each scrape. */
    read: (readings: Readings) => metrics.read(readings),
    /** Sends the remaining spans. Settles within seconds; never rejects. */
    stop: async () => traces?.stop(),
  };
}
