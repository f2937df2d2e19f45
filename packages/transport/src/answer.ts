/** The response to a GraphQL operation, over HTTP and over a socket. */
import { RequestError, UnauthorizedError, UnreachableError } from './errors.js';

/** An error of a response, as GraphQL defines it. */
export interface AnsweredError {
  message: string;
  extensions?: { code?: string; path?: unknown };
}

export interface Answer {
  data?: unknown;
  errors?: readonly AnsweredError[];
}

/** Codes of operations that were not run and can be repeated later. */
export const TRANSIENT_CODE =
  /^(DATABASE_UNAVAILABLE|UPGRADE_REQUIRED|AUTHENTICATION_UNAVAILABLE|OVERLOADED|RATE_LIMITED|TOO_MANY_OPERATIONS)$/;

/** @returns null for a body that is not a GraphQL response, such as one of a proxy */
export function answerIn(text: string): Answer | null {
  try {
    const answer = JSON.parse(text) as Answer | null;
    return answer !== null && typeof answer === 'object' && ('data' in answer || 'errors' in answer) ? answer : null;
  } catch {
    return null;
  }
}

/** The error of a response as an error of this package. */
export function errorOf({ message, extensions: { code = 'UNKNOWN' } = {} }: AnsweredError): Error {
  if (TRANSIENT_CODE.test(code)) return new UnreachableError(message);
  if (code === 'UNAUTHENTICATED') return new UnauthorizedError(message);
  // A page and a server of different versions: that text is for developers.
  if (/^(GRAPHQL|UNKNOWN)/.test(code)) {
    return new RequestError('The server refuses this request: reload the page', code, { cause: message });
  }
  return new RequestError(message, code);
}
