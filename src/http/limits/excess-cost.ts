import { GraphQLError } from 'graphql';
import type { Context } from '../../graphql/context.js';
import type { Usage } from '../../limits/usage.js';
import { estimateCost, type Operation } from './cost.js';

/** Number of objects, or bytes of variables, that count as one more operation in rate limits. */
const OBJECTS_OF_AN_OPERATION = 1_000;
const BYTES_OF_AN_OPERATION = 256 * 1024;

/**
 * Estimates an operation, or one answer of a subscription, before it runs. It is refused when it could return too many
 * objects; the objects that it returns are counted as well (see ObjectBudget). A large one counts as several in rate
 * limits.
 * @returns the reason of the refusal, or null
 */
export async function excessCost(
  operation: Operation,
  { limits: { costLimit }, rates }: Usage,
  { viewer, variablesBytes = 0 }: Context,
): Promise<GraphQLError | null> {
  const cost = estimateCost(operation);
  if (cost !== null && (!cost.isWhole || cost.nodes > costLimit)) return tooExpensive(cost, costLimit);
  const more = Math.floor((cost?.nodes ?? 0) / OBJECTS_OF_AN_OPERATION + variablesBytes / BYTES_OF_AN_OPERATION);
  if (more === 0) return null;
  try {
    await rates.countUser(viewer.userId, more);
    return null;
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

function tooExpensive({ isWhole, nodes }: { isWhole: boolean; nodes: number }, limit: number): GraphQLError {
  const estimate = `${isWhole ? '' : 'at least '}${nodes}`;
  const message = `The operation could return ${estimate} objects, and no more than ${limit} are allowed: request shorter lists`;
  return new GraphQLError(message, {
    extensions: { code: 'COST_LIMIT_EXCEEDED', estimate: nodes, limit, http: { spec: true, status: 400 } },
  });
}
