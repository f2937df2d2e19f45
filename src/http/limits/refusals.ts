/** Errors that replace the result of an operation. */
import { GraphQLError, type ExecutionResult } from 'graphql';
import type { ContentBudget } from '../../limits/content-budget.js';
import type { Deadline } from '../../limits/deadline.js';
import { OverloadedError } from '../../conversation/errors.js';

/** The result of an operation that was refused for its content. */
export function refused(refusal: NonNullable<ContentBudget['refusal']>): ExecutionResult {
  const http = { spec: true, status: refusal instanceof OverloadedError ? 503 : 400 };
  return { data: null, errors: [new GraphQLError(refusal.message, { originalError: refusal, extensions: { http } })] };
}

export function timedOut({ reason, hasWritten, isUncertain }: Deadline, isMutation = false): ExecutionResult {
  const outcome = isUncertain
    ? 'its last change may be written'
    : hasWritten
      ? 'its earlier changes are written'
      : 'nothing was written';
  const error = new GraphQLError(isMutation ? `${reason.message}: ${outcome}` : reason.message, {
    extensions: {
      code: reason.code,
      ...(isMutation && { hasWritten: isUncertain ? null : hasWritten }),
      http: { spec: true, status: 504 },
    },
  });
  return { data: null, errors: [error] };
}
