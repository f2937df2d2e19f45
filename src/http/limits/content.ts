import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
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
          return await execute(executed);
        } finally {
          content.end();
        }
      });
    },
    onSubscribe({ args: { contextValue } }) {
      const content = new ContentBudget(maxContentBytes);
      const { store, reads } = within({ content });
      Object.assign(contextValue, { content, store, reads, loaders: new Loaders(reads) });
    },
  };
}
