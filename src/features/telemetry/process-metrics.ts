import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

let registry: Registry | undefined;

/**
 * Memory, processor time and event loop delays. They exist once per process, for any number of servers, and are
 * measured from the first call on.
 */
export function processMetrics(): Promise<string> {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
    const registers = [registry];
    const heap = 'Bytes that the heap of JavaScript may have.';
    new Gauge({ name: 'parley_heap_limit_bytes', help: heap, registers }).set(getHeapStatistics().heap_size_limit);
    const memory = 'Memory limit of the container in bytes, otherwise the memory of the machine.';
    new Gauge({ name: 'parley_memory_limit_bytes', help: memory, registers }).set(memoryLimit());
  }
  return registry.metrics();
}

/** Without a limit of the container Node returns 0, or a number above all memory. */
function memoryLimit(): number {
  return Math.min(process.constrainedMemory() || Infinity, totalmem());
}
