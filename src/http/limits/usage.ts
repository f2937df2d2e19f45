import { getOperationAST, GraphQLError, OperationTypeNode, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { OverloadedError, TooLargeError } from '../../conversation/errors.js';
import { bindContext, type Context } from '../../graphql/context.js';
import { ObjectBudget } from '../../graphql/object-budget.js';
import type { OperationUse } from '../../limits/operation-use.js';
import type { Usage } from '../../limits/usage.js';
import { BoundedAnswers, type Within } from './bounded-answers.js';
import type { Operation } from './cost.js';
import { excessCost } from './excess-cost.js';
import { refused, timedOut } from './refusals.js';

type Execute = (args: ExecutionArgs & { signal: AbortSignal }) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Lets operations, and the answers of subscriptions, use what they may: each returns so many objects, reads and returns so
 * much content, and takes so long.
 *
 * Of one that takes too long nothing is resolved, read or written any more: a change that has not been committed is undone, and
 * one that is being committed is waited for, so that the answer can say whether anything was written. SQLite's statements run
 * in this thread, one at a time and each to its end: one that is long delays its own timeout.
 */
export function useUsage(usage: Usage, within: Within): Plugin<Context> {
  const { costLimit } = usage.limits;
  return {
    async onExecute({ args, executeFn, setExecuteFn, setResultAndStopExecution }) {
      const context = args.contextValue;
      dropUndeclared(args);
      const error = await excessCost(args, usage, context);
      if (error !== null) return setResultAndStopExecution({ errors: [error] });
      context.budget = new ObjectBudget(costLimit);
      const execute = executeFn as Execute;
      setExecuteFn(async (executed: ExecutionArgs) => {
        const { document, operationName } = executed;
        const isMutation = getOperationAST(document, operationName)?.operation === OperationTypeNode.MUTATION;
        let use: OperationUse;
        try {
          use = usage.begin(context.viewer.userId, { isMutation });
        } catch (error) {
          if (error instanceof GraphQLError) return { errors: [error] };
          throw error;
        }
        const { deadline, content } = use;
        // What it has begun to change is done, whoever waits for it.
        const stopWatching = isMutation ? () => {} : context.onLeave?.(() => deadline.giveUp());
        context.content = content;
        bindContext(context, within(use));
        try {
          const result = await execute({ ...executed, signal: deadline.signal });
          const answer = refused(content) ?? result;
          if (isMutation) tellWhetherWritten(answer, use);
          if (!deadline.hasPassed) return answer;
        } catch (error) {
          if (!deadline.hasPassed) throw error;
        } finally {
          stopWatching?.();
          use.end();
        }
        await deadline.settled();
        return timedOut(deadline, isMutation);
      });
    },
    async onSubscribe({ args, setResultAndStopExecution }) {
      const { contextValue } = args;
      dropUndeclared(args);
      contextValue.budget = new ObjectBudget(costLimit);
      // One that goes on where it stopped has been judged.
      if (contextValue.following?.startAt == null) {
        const error = await excessCost(args, usage, contextValue);
        if (error !== null) return setResultAndStopExecution({ errors: [error] });
      }
      // A client's own executes nothing: its answers come from one of those that are shared.
      if (contextValue.following === undefined) return;
      const answers = new BoundedAnswers(contextValue, usage, within);
      contextValue.beginAnswer = () => answers.begin();
      return {
        onSubscribeResult({ result, setResult }) {
          if (Symbol.asyncIterator in result) setResult(answers.of(result[Symbol.asyncIterator]()));
        },
      };
    },
  };
}

/** Variables that the operation does not declare: nobody will look at them, and they would be kept as long as it runs. */
function dropUndeclared({ document, operationName, variableValues }: Operation): void {
  const declared = getOperationAST(document, operationName)?.variableDefinitions ?? [];
  const names = new Set(declared.map(({ variable }) => variable.name.value));
  for (const name of Object.keys(variableValues ?? {})) {
    if (!names.has(name)) Reflect.deleteProperty(variableValues ?? {}, name);
  }
}

/** Of an answer that was refused when the change might have been made. */
function tellWhetherWritten({ errors = [] }: ExecutionResult, { deadline }: OperationUse): void {
  for (const { originalError, extensions } of errors) {
    if (originalError instanceof TooLargeError || originalError instanceof OverloadedError) {
      extensions['hasWritten'] = deadline.hasWritten;
    }
  }
}
