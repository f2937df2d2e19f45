import { GraphQLError, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { OverloadedError } from '../../conversation/errors.js';
import { ContentBudget, ContentInUse } from '../../conversation/content-budget.js';
import { Loaders } from '../../graphql/loaders.js';
import type { Context } from '../../graphql/context.js';
import { HEAP_BYTES, type Limits } from './limits.js';
import type { Within } from './timeout.js';

type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Ends an operation that reads and returns too much content, and one that takes much while all together have too much
 * under way. Of a subscription each answer counts for itself.
 */
export function useContentLimit({ maxContentBytes }: Limits, within: Within): Plugin<Context> {
  const inUse = new ContentInUse(Math.max(maxContentBytes, HEAP_BYTES / 16));
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
    onSubscribe({ args: { contextValue } }) {
      const content = new ContentBudget(maxContentBytes, inUse);
      const { store, reads } = within({ content });
      Object.assign(contextValue, { content, store, reads, loaders: new Loaders(reads) });
      return {
        onSubscribeResult({ result, setResult }) {
          if (Symbol.asyncIterator in result) setResult(answers(result[Symbol.asyncIterator](), content));
        },
      };
    },
  };
}

/** The answer to an operation that was refused, in place of what was resolved of it. */
function refused({ refusal }: ContentBudget): ExecutionResult | null {
  if (refusal === null) return null;
  const http = { spec: true, status: refusal instanceof OverloadedError ? 503 : 400 };
  return { data: null, errors: [new GraphQLError(refusal.message, { originalError: refusal, extensions: { http } })] };
}

/** The same answers; each gives back what it took as soon as it has been made, also when nobody waits for it any more. */
function answers(
  results: AsyncIterator<ExecutionResult>,
  content: ContentBudget,
): AsyncIterableIterator<ExecutionResult> {
  const following: AsyncIterableIterator<ExecutionResult> = {
    [Symbol.asyncIterator]: () => following,
    next: async () => {
      try {
        const next = await results.next();
        return next.done === true ? next : { value: refused(content) ?? next.value };
      } finally {
        content.endAnswer();
      }
    },
    return: async () => (await results.return?.()) ?? { done: true, value: undefined },
  };
  return following;
}
