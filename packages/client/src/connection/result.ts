/** Results of operations; the failures of their unions are thrown. */
import { errorOf, type Answer } from '@parley/transport/answer';
import type { SaveMessagesMutation } from '../generated/operations.js';
import { DraftOffsetError, HeadConflictError, RefusedError, type InputProblem } from './contract-errors.js';

/** The members of the unions that are failures. */
type Failure = { __typename: `${string}Error` };

/** The result of an operation that has succeeded. */
export type Succeeded<Result> = { [Field in keyof Result]: Exclude<Result[Field], Failure> };

type Conflict = Extract<SaveMessagesMutation['saveMessages'], { __typename: 'HeadConflictError' }>;
/** Any failure, with all optional fields. */
type AnyFailure = Omit<Conflict, '__typename'> & {
  __typename: string;
  problems?: readonly InputProblem[];
  length?: number;
};

/**
 * @throws RefusedError, HeadConflictError, DraftOffsetError for a failure of a mutation
 * @throws UnreachableError, UnauthorizedError, RequestError for an error of the response
 */
export function dataOf<Result>({ data, errors }: Answer): Succeeded<Result> {
  const [error] = errors ?? [];
  if (error) throw errorOf(error);
  for (const value of Object.values((data ?? {}) as Record<string, Partial<AnyFailure> | null>)) {
    if (value?.__typename?.endsWith('Error')) throw refusalOf(value as AnyFailure);
  }
  return data as Succeeded<Result>;
}

function refusalOf(failure: AnyFailure): RefusedError {
  const { __typename, message, code, problems, length } = failure;
  if (length !== undefined) return new DraftOffsetError(message, code, length);
  if (__typename !== 'HeadConflictError') return new RefusedError(message, code, problems);
  const { expectedHeadId, actualHead, branch, newerMessages } = failure;
  return new HeadConflictError(message, expectedHeadId, actualHead, branch, newerMessages);
}
