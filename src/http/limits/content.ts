import { GraphQLError, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { OverloadedError } from '../../conversation/errors.js';
import { ContentBudget, type ContentInUse } from '../../conversation/content-budget.js';
import type { Context } from '../../graphql/context.js';
import type { Limits } from './limits.js';

type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Ends an operation that reads and returns too much content, and one that takes much while all together have too much
 * under way. For the answers of a subscription see answers.ts.
 */
export function useContentLimit({ maxContentBytes }: Limits, inUse: ContentInUse): Plugin<Context> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const content = new ContentBudget(maxContentBytes, inUse);
      args.contextValue.content = content;
      const execute = executeFn as Execute;
      setExecuteFn(async (executed: ExecutionArgs) => {
        try {
          const result = await execute(executed);
          return refused(content) ?? result;
        } finally {
          content.end();
        }
      });
    },
  };
}

/** The answer to an operation that was refused, in place of what was resolved of it. */
export function refused({ refusal }: ContentBudget): ExecutionResult | null {
  if (refusal === null) return null;
  const http = { spec: true, status: refusal instanceof OverloadedError ? 503 : 400 };
  return { data: null, errors: [new GraphQLError(refusal.message, { originalError: refusal, extensions: { http } })] };
}
