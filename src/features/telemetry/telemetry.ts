/** Combines the observers of a server. */
import type { ObserverOptions, Telemetry } from '../../observer.js';
import { Metrics } from './metrics.js';
import { RequestObserver } from './request-observer.js';
import { createTraces } from './traces.js';

export async function createTelemetry(options: ObserverOptions): Promise<Telemetry> {
  const { database, traceEndpoint: endpoint, serviceName, log } = options;
  const metrics = new Metrics();
  const system = database === 'sqlserver' ? 'microsoft.sql_server' : database;
  const traces = endpoint === undefined ? null : await createTraces({ endpoint, serviceName, database: system, log });
  return {
    registry: metrics.registry,
    observer: new RequestObserver({ ...options, metrics, traces }),
    statement: (run) => {
      metrics.countStatement(run);
      traces?.statement(run);
    },
    read: (readings) => metrics.read(readings),
    stop: async () => traces?.stop(),
  };
}
