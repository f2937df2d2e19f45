/** Errors of responses as ContextErrors. */
import { TRANSIENT_CODE, type AnsweredError } from '@parley/transport/answer';
import { ContextError, type ContextErrorCode } from '../errors.js';
import { isRecord } from '../record.js';

/** Whether a value is an error as GraphQL defines it: other servers can send any JSON. */
export function isAnsweredError(error: unknown): error is AnsweredError {
  return isRecord(error) && typeof error['message'] === 'string';
}

/** The error of a GraphQL response. */
export function answerError({ message, extensions: { code, path } = {} }: AnsweredError, status: number): ContextError {
  return new ContextError(codeOf(code, status), message, typeof path === 'string' ? path : null);
}

/** The error of a response that is not one of GraphQL. @param place the address of the server */
export function statusError(place: string, status: number): ContextError {
  return new ContextError(codeOfStatus(status), `${place} answered with status ${status}, and not as GraphQL does`);
}

function codeOf(code: string | undefined, status: number): ContextErrorCode {
  switch (code) {
    case 'BAD_USER_INPUT':
    case 'BAD_REQUEST':
    case 'INVALID_INPUT':
    case 'PAYLOAD_TOO_LARGE':
    case 'TOO_LARGE':
    case 'COST_LIMIT_EXCEEDED':
    case 'DOCUMENT_LIMIT_EXCEEDED':
      return 'INVALID_INPUT';
    case 'STORAGE_QUOTA_EXCEEDED':
      return code;
    case 'UNAUTHENTICATED':
    case 'FORBIDDEN':
      return 'UNAUTHENTICATED';
    // Deleted while it was being read.
    case 'GONE':
    case 'NOT_FOUND':
      return 'NOT_FOUND';
    case 'TOO_MANY_SOCKETS':
    case 'TIMEOUT':
      return 'UNAVAILABLE';
    case undefined:
      return codeOfStatus(status);
    default:
      return TRANSIENT_CODE.test(code) ? 'UNAVAILABLE' : 'INTERNAL';
  }
}

/** The code of a response without an error. */
function codeOfStatus(status: number): ContextErrorCode {
  // A proxy refuses a request that is too large.
  if (status === 413) return 'INVALID_INPUT';
  if (status === 401) return 'UNAUTHENTICATED';
  return status >= 500 || status === 429 || status === 408 ? 'UNAVAILABLE' : 'INTERNAL';
}
