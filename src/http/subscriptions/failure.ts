/** Errors that end a subscription early. */
import { GraphQLError, type ExecutionResult } from 'graphql';

/** Effect of a result: the next answer, nothing, or the end of the subscription. */
export type Outcome = { kind: 'answer' } | { kind: 'nothing' } | { kind: 'failure'; error: GraphQLError };

export function outcomeOf({ errors = [] }: Pick<ExecutionResult, 'errors'>): Outcome {
  // The answer concerns a chat that was deleted meanwhile: only ChatDeleted remains to be sent.
  if (errors.some((error) => hasCode(error, 'GONE'))) return { kind: 'nothing' };
  const error = errors.find(isUnavailable) ?? errors.find(isTooSlow) ?? errors.find(isNotTheViewers);
  return error === undefined ? { kind: 'answer' } : { kind: 'failure', error };
}

/** Whether the database could not be reached: the client can reconnect and get the answer later. */
export function isUnavailable(error: GraphQLError): boolean {
  return hasCode(error, 'DATABASE_UNAVAILABLE');
}

/** Whether the client must reconnect: it missed more events than are kept, or could not be served in time. */
export function isTooSlow(error: GraphQLError): boolean {
  return hasCode(error, 'TOO_SLOW');
}

/** Whether the followed chat no longer belongs to the viewer: see asOfNow. Below the root, null is the answer. */
function isNotTheViewers(error: GraphQLError): boolean {
  return hasCode(error, 'NOT_FOUND') && error.path?.length === 1;
}

/** Wraps any error of a source; errors not meant for clients are already masked. */
export function asGraphQLError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  return new GraphQLError('The subscription cannot continue', { extensions: { code: 'INTERNAL_SERVER_ERROR' } });
}

function hasCode({ extensions }: GraphQLError, code: string): boolean {
  return extensions['code'] === code;
}
