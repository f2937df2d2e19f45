import type { ServerResponse } from 'node:http';
import { getOperationAST, GraphQLError, OperationTypeNode, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { OverloadedError, TooLargeError } from '../../conversation/errors.js';
import { bindContext, type Context } from '../../graphql/context.js';
import { ObjectBudget } from '../../graphql/limits/object-budget.js';
import type { OperationUse, Usage } from '../../limits/usage.js';
import { BoundedAnswers, type Within } from './bounded-answers.js';
import { dropUndeclared } from './undeclared-variables.js';
import { answered } from './answered.js';
import { refused, timedOut } from './refusals.js';
import { estimateCost, type Operation } from './cost.js';

type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Limits the objects, the content read and returned, and the duration of operations and of the answers of
 * subscriptions. After a timeout nothing more is resolved, read or written: an uncommitted change is undone, and a
 * running commit is awaited, so that the answer reports its result. SQLite's statements block this thread: a long
 * one delays its own timeout.
 */
export function useUsage(usage: Usage, within: Within): Plugin<Context> {
  const { costLimit } = usage.limits;
  return {
    async onExecute({ args, executeFn, setExecuteFn, setResultAndStopExecution }) {
      const context = args.contextValue;
      dropUndeclared(args);
      await usage.beginLarge(context.viewer.userId, context.variablesBytes ?? 0);
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
        context.content = content;
        context.signal = deadline.signal;
        bindContext(context, within(use));
        const { res, onLeave = res && whenLeft.bind(null, res) } = context as Context & { res?: ServerResponse };
        // A mutation completes even after its client disconnects.
        const stopWatching = isMutation ? undefined : onLeave?.(() => deadline.giveUp());
        // This server writes the text of answers over HTTP: long lists are written directly into it.
        if ('request' in context) context.plainLists = [];
        try {
          // A refused query ends at once: nothing more of it is resolved.
          const refusal = isMutation
            ? null
            : new Promise<ExecutionResult>((end) => (content.onRefusal = (reason) => end(refused(reason))));
          // Not the executor's signal, for which it would keep a promise of each object.
          const made = answered(execute(executed), context);
          const answer = await deadline.within(refusal === null ? made : Promise.race([made, refusal]));
          if (isMutation && answer.errors !== undefined) reportWritten(answer.errors, use);
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
      // A resumed subscription was estimated when it began.
      if (contextValue.following?.startAt == null) {
        const error = await excessCost(args, usage, contextValue);
        if (error !== null) return setResultAndStopExecution({ errors: [error] });
      }
      // A client's own subscription executes nothing: its answers come from a shared execution.
      if (contextValue.following === undefined) return;
      const answers = new BoundedAnswers(contextValue, usage, within);
      contextValue.beginAnswer = answers.begin;
      return {
        onSubscribeResult({ result, setResult }) {
          if (Symbol.asyncIterator in result) setResult(answers.of(result[Symbol.asyncIterator]()));
        },
      };
    },
  };
}

/** Calls back when the client disconnects before it has the response. @returns a function that removes the callback */
export function whenLeft(response: ServerResponse, leave: () => void): () => void {
  const onClose = () => {
    if (!response.writableFinished) leave();
  };
  response.once('close', onClose);
  return () => response.off('close', onClose);
}

/** Extends the error of an answer that was refused after the change may have been written. */
function reportWritten(errors: readonly GraphQLError[], { deadline }: OperationUse): void {
  for (const { originalError, extensions } of errors) {
    if (originalError instanceof TooLargeError || originalError instanceof OverloadedError) {
      extensions['hasWritten'] = deadline.hasWritten;
    }
  }
}

/** Number of objects, or bytes of variables, that count as one more operation in rate limits. */
const OBJECTS_OF_AN_OPERATION = 1_000;
const BYTES_OF_AN_OPERATION = 256 * 1024;

/**
 * Estimates an operation, or one answer of a subscription, before it runs. It is refused when it could return too many
 * objects; the objects that it returns are counted as well (see ObjectBudget). A large one counts as several in rate
 * limits.
 * @returns the reason of the refusal, or null
 */
async function excessCost(
  operation: Operation,
  { limits: { costLimit }, rates }: Usage,
  { viewer, variablesBytes = 0 }: Context,
): Promise<GraphQLError | null> {
  const cost = estimateCost(operation);
  if (cost !== null && (!cost.isWhole || cost.nodes > costLimit)) return tooExpensive(cost, costLimit);
  const more = Math.floor((cost?.nodes ?? 0) / OBJECTS_OF_AN_OPERATION + variablesBytes / BYTES_OF_AN_OPERATION);
  if (more === 0) return null;
  try {
    await rates.countUser(viewer.userId, more);
    return null;
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

function tooExpensive({ isWhole, nodes }: { isWhole: boolean; nodes: number }, limit: number): GraphQLError {
  const estimate = `${isWhole ? '' : 'at least '}${nodes}`;
  const message = `The operation could return ${estimate} objects, and no more than ${limit} are allowed: request shorter lists`;
  return new GraphQLError(message, {
    extensions: { code: 'COST_LIMIT_EXCEEDED', estimate: nodes, limit, http: { spec: true, status: 400 } },
  });
}
