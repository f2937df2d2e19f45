import { getOperationAST, GraphQLError, OperationTypeNode, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { Deadline } from '../../conversation/deadline.js';
import { OverloadedError, TooLargeError } from '../../conversation/errors.js';
import type { OperationBounds } from '../../conversation/operation-bounds.js';
import { bindContext, type Context, type Services } from '../../graphql/context.js';
import type { Limits } from './limits.js';

/** What an operation reads and writes with, within its bounds. */
export type Within = (bounds: OperationBounds) => Pick<Services, 'store' | 'reads'>;

type Execute = (args: ExecutionArgs & { signal: AbortSignal }) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Ends queries and mutations that take too long. Nothing is resolved, read or written for them any more: a change that
 * has not been committed is undone, and one that is being committed is waited for, so that the answer can say whether
 * anything was written. For the answers of a subscription see answers.ts.
 *
 * SQLite's statements run in this thread, one at a time and each to its end: one that is long delays its own timeout.
 */
export function useTimeouts({ queryTimeoutMs, mutationTimeoutMs }: Limits, within: Within): Plugin<Context> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const { document, operationName } = args as ExecutionArgs;
      const isMutation = getOperationAST(document, operationName)?.operation === OperationTypeNode.MUTATION;
      const execute = executeFn as Execute;
      setExecuteFn(async (executed: ExecutionArgs) => {
        const deadline = new Deadline(isMutation ? mutationTimeoutMs : queryTimeoutMs);
        const context = executed.contextValue as Context;
        bindContext(context, within({ deadline, content: context.content }));
        try {
          const result = await execute({ ...executed, signal: deadline.signal });
          if (isMutation) tellWhetherWritten(result, deadline);
          if (!deadline.hasPassed) return result;
        } catch (error) {
          if (!deadline.hasPassed) throw error;
        } finally {
          deadline.end();
        }
        await deadline.settled();
        return timedOut(deadline, isMutation);
      });
    },
  };
}

/** Of an answer that was refused when the change might have been made. */
function tellWhetherWritten({ errors = [] }: ExecutionResult, { hasWritten }: Deadline): void {
  for (const { originalError, extensions } of errors) {
    if (originalError instanceof TooLargeError || originalError instanceof OverloadedError) {
      extensions['hasWritten'] = hasWritten;
    }
  }
}

/** The answer to an operation that has taken too long. */
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
