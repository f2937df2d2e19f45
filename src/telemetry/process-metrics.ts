import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/**
 * Memory, processor time and delays of the event loop. The process has them once, however many servers run in it, and
 * they are measured from the first time that somebody asks.
 */
export function processMetrics(): Promise<string> {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry.metrics();
}
