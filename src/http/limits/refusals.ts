/** What an operation is answered with in place of what was resolved of it. */
import { GraphQLError, type ExecutionResult } from 'graphql';
import type { ContentBudget } from '../../limits/content-budget.js';
import type { Deadline } from '../../limits/deadline.js';
import { OverloadedError } from '../../conversation/errors.js';

/** When it was refused for its content; null when it was not. */
export function refused({ refusal }: ContentBudget): ExecutionResult | null {
  if (refusal === null) return null;
  const http = { spec: true, status: refusal instanceof OverloadedError ? 503 : 400 };
  return { data: null, errors: [new GraphQLError(refusal.message, { originalError: refusal, extensions: { http } })] };
}

/** When it has taken too long. */
export function timedOut({ reason, hasWritten, isUncertain }: Deadline, isMutation = false): ExecutionResult {
  const outcome = isUncertain
    ? 'whether its last change was written is not known'
    : hasWritten
      ? 'what it had changed by then is written'
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
