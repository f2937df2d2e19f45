/** How imports end, for the metrics. */
import type { ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import type { ImportResult } from '../../telemetry/metrics.js';

/**
 * Runs an import and reports its result once.
 * @param work returns the error that ended its answer, undefined without one
 * @throws the errors of `work`
 */
export async function reportImport(
  response: ServerResponse,
  report: (result: ImportResult) => void,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    report(resultOf(await work(), response));
  } catch (error) {
    report(resultOf(error, response));
    throw error;
  }
}

function resultOf(error: unknown, response: ServerResponse): ImportResult {
  const { req: request } = response;
  const hasLeft = request.complete ? response.destroyed && !response.writableFinished : request.destroyed;
  if (hasLeft) return 'aborted';
  if (error === undefined) return 'imported';
  const { status = 500 } = (error instanceof GraphQLError ? error.extensions['http'] : {}) as { status?: number };
  return status < 500 ? 'refused' : 'failed';
}
