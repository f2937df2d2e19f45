import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../graphql/context.js';
import { ObjectBudget } from '../../graphql/object-budget.js';
import { estimateCost, type Operation } from './cost.js';
import type { Limits } from './limits.js';

/**
 * Refuses an operation that could return too many objects, before it runs; of a subscription, one of its answers. What it
 * returns is counted all the same: see ObjectBudget.
 */
export function useCostLimit({ costLimit }: Limits): Plugin<Context> {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      args.contextValue.budget = new ObjectBudget(costLimit);
      const error = excessCost(args, costLimit);
      if (error !== null) setResultAndStopExecution({ errors: [error] });
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      args.contextValue.budget = new ObjectBudget(costLimit);
      // One that goes on where it stopped has been judged.
      if (args.contextValue.following?.startAt != null) return;
      const error = excessCost(args, costLimit);
      if (error !== null) setResultAndStopExecution({ errors: [error] });
    },
  };
}

function excessCost(operation: Operation, limit: number): GraphQLError | null {
  const cost = estimateCost(operation);
  if (cost === null || (cost.isWhole && cost.nodes <= limit)) return null;
  const estimate = `${cost.isWhole ? '' : 'at least '}${cost.nodes}`;
  const message = `The operation could return ${estimate} objects, and no more than ${limit} are allowed: ask for shorter lists`;
  return new GraphQLError(message, {
    extensions: {
      code: 'COST_LIMIT_EXCEEDED',
      estimate: cost.nodes,
      limit,
      http: { spec: true, status: 400 },
    },
  });
}
