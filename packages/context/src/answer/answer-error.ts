import { ContextError, type ContextErrorCode } from '../errors.js';
import { FAILURE } from '../streaming/message-stream.js';
import type { AnswerHandlerOptions } from './answer-options.js';

const STATUS: Record<ContextErrorCode, number> = {
  INVALID_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  LEGAL_HOLD: 409,
  STORAGE_QUOTA_EXCEEDED: 413,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  HEAD_CONFLICT: 409,
  NOT_SUPPORTED: 501,
  UNAVAILABLE: 503,
  INTERNAL: 500,
};

/** A request that is refused before an answer is started. */
export class RefusedRequest extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** The answer to a request that failed before streaming. Unexpected errors are masked. */
export function errorResponse(error: unknown, { onError }: Pick<AnswerHandlerOptions, 'onError'>): Response {
  if (error instanceof RefusedRequest) {
    const { status, code, message, headers } = error;
    return Response.json({ error: { code, message } }, { status, headers });
  }
  const { code, message } =
    error instanceof ContextError && error.code !== 'INTERNAL'
      ? error
      : { code: 'INTERNAL' as const, message: maskedText(error, onError) };
  return Response.json({ error: { code, message } }, { status: STATUS[code] });
}

/** The text that a page may show of an error. */
export function maskedText(error: unknown, onError: AnswerHandlerOptions['onError']): string {
  if (onError !== undefined) return onError(error);
  // oxlint-disable-next-line no-console -- the log of a handler without a logger
  console.error(error);
  return FAILURE;
}
