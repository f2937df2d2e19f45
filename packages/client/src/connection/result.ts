/** What an operation answers, with the failures of its unions thrown. */
import { RequestError, UnauthorizedError, UnreachableError } from '@parley/transport/errors';
import { DraftOffsetError, HeadConflictError, RefusedError } from './contract-errors.js';
import type { SaveMessagesMutation } from '../generated/operations.js';

/** The members of the unions that are failures. */
type Failure = { __typename: `${string}Error` };

/** The answer of an operation that has succeeded. */
export type Succeeded<Result> = { [Field in keyof Result]: Exclude<Result[Field], Failure> };

/** An error of an answer, as GraphQL has it. */
export interface AnsweredError {
  message: string;
  extensions?: { code?: string };
}

/** What an operation answers, over HTTP and WebSocket. */
export interface Answer {
  data?: unknown;
  errors?: readonly AnsweredError[];
}

type Conflict = Extract<SaveMessagesMutation['saveMessages'], { __typename: 'HeadConflictError' }>;
/** Any of them, with the fields that some have. */
type AnyFailure = Omit<Conflict, '__typename'> & { __typename: string; path?: string | null; length?: number };

/** Of whom the same may be asked again later: it was not done. */
const TRANSIENT =
  /^(DATABASE_UNAVAILABLE|UPGRADE_REQUIRED|AUTHENTICATION_UNAVAILABLE|OVERLOADED|RATE_LIMITED|TOO_MANY_OPERATIONS)$/;

/**
 * @throws RefusedError, HeadConflictError where a mutation answers so
 * @throws UnreachableError, UnauthorizedError, RequestError where there are errors
 */
export function dataOf<Result>({ data, errors }: Answer): Succeeded<Result> {
  const [error] = errors ?? [];
  if (error !== undefined) throw errorOf(error);
  for (const value of Object.values((data ?? {}) as Record<string, Partial<AnyFailure> | null>)) {
    if (value?.__typename?.endsWith('Error')) throw refusalOf(value as AnyFailure);
  }
  return data as Succeeded<Result>;
}

export function errorOf({ message, extensions: { code = 'UNKNOWN' } = {} }: AnsweredError): Error {
  if (TRANSIENT.test(code)) return new UnreachableError(message);
  if (code === 'UNAUTHENTICATED') return new UnauthorizedError(message);
  // A page and a server of different versions: that text is for developers.
  if (/^(GRAPHQL|UNKNOWN)/.test(code)) {
    return new RequestError('The server does not support this request: reload the page', code, { cause: message });
  }
  return new RequestError(message, code);
}

function refusalOf(failure: AnyFailure): RefusedError {
  const { __typename, message, code, path = null, length } = failure;
  if (length !== undefined) return new DraftOffsetError(message, code, length);
  if (__typename !== 'HeadConflictError') return new RefusedError(message, code, path);
  const { expectedHeadId, actualHead, branch, newerMessages } = failure;
  return new HeadConflictError(message, expectedHeadId, actualHead, branch, newerMessages);
}
