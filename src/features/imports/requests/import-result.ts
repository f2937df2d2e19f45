/** How imports end, for the metrics. */
import type { ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import { Counter, type Registry } from 'prom-client';

/** `refused` for the client's mistakes, `aborted` when the client left, `failed` for everything else. */
const IMPORT_RESULTS = ['imported', 'refused', 'aborted', 'failed'] as const;

/**
 * Registers the metric.
 * @returns a function that counts the result of an import, and throws the errors of `work`. `work` returns the error that
 * ended its answer, undefined without one
 */
export function countingImports(registry: Registry) {
  const imports = new Counter({
    name: 'parley_imports_total',
    help: 'Requests to POST /import that have ended, by result.',
    labelNames: ['result'],
    registers: [registry],
  });
  // A series that starts at 0 shows its first increase.
  for (const result of IMPORT_RESULTS) imports.inc({ result }, 0);
  return async (response: ServerResponse, work: () => Promise<unknown>): Promise<void> => {
    try {
      imports.inc({ result: resultOf(await work(), response) });
    } catch (error) {
      imports.inc({ result: resultOf(error, response) });
      throw error;
    }
  };
}

function resultOf(error: unknown, response: ServerResponse): (typeof IMPORT_RESULTS)[number] {
  const { req: request } = response;
  const hasLeft = request.complete ? response.destroyed && !response.writableFinished : request.destroyed;
  if (hasLeft) return 'aborted';
  if (error === undefined) return 'imported';
  const { status = 500 } = (error instanceof GraphQLError ? error.extensions['http'] : {}) as { status?: number };
  return status < 500 ? 'refused' : 'failed';
}
