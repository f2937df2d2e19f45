/** What ends a subscription before its time. */
import { GraphQLError, type ExecutionResult } from 'graphql';

/** What becomes of a result: the next answer, nothing, or the end of the subscription. */
export type Outcome = { kind: 'answer' } | { kind: 'nothing' } | { kind: 'failure'; error: GraphQLError };

export function outcomeOf({ errors = [] }: Pick<ExecutionResult, 'errors'>): Outcome {
  // It tells of a chat that was deleted meanwhile: ChatDeleted is all that is left to say.
  if (errors.some((error) => hasCode(error, 'GONE'))) return { kind: 'nothing' };
  const error = errors.find(isUnavailable) ?? errors.find(isNotTheViewers);
  return error === undefined ? { kind: 'answer' } : { kind: 'failure', error };
}

/** Whether the database could not be reached: it can be told later, to whoever comes back. */
export function isUnavailable(error: GraphQLError): boolean {
  return hasCode(error, 'DATABASE_UNAVAILABLE');
}

/** Whether its client has to begin anew, because more has happened than is kept. */
export function isTooSlow(error: GraphQLError): boolean {
  return hasCode(error, 'TOO_SLOW');
}

/** Whether the chat that is followed is not the viewer's any more: see asOfNow. Below the root, null says what is not. */
function isNotTheViewers(error: GraphQLError): boolean {
  return hasCode(error, 'NOT_FOUND') && error.path?.length === 1;
}

/** Whatever a source throws; what is not for clients has been masked. */
export function asGraphQLError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  return new GraphQLError('The subscription cannot go on', { extensions: { code: 'INTERNAL_SERVER_ERROR' } });
}

function hasCode({ extensions }: GraphQLError, code: string): boolean {
  return extensions['code'] === code;
}
