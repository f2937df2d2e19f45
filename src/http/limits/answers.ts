import { GraphQLError, type ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { ContentBudget, type ContentInUse } from '../../conversation/content-budget.js';
import { Deadline } from '../../conversation/deadline.js';
import { bindContext, type Context } from '../../graphql/context.js';
import { AnswerTurns } from './answer-turns.js';
import { refused } from './content.js';
import type { Limits } from './limits.js';
import { timedOut, type Within } from './timeout.js';

/**
 * Bounds each answer of a subscription as if it were a query: how much it reads and returns, and how long it takes. One
 * that is refused is an answer with that error, and the subscription goes on.
 */
export function useAnswerLimits(limits: Limits, within: Within, inUse: ContentInUse): Plugin<Context> {
  const turns = new AnswerTurns();
  return {
    onSubscribe({ args: { contextValue } }) {
      // A client's own executes nothing: its answers come from one of those that are shared.
      if (contextValue.following === undefined) return;
      const bounds = new AnswerBounds(contextValue, limits, within, inUse, turns);
      contextValue.beginAnswer = () => bounds.begin();
      return {
        onSubscribeResult({ result, setResult }) {
          if (Symbol.asyncIterator in result) setResult(bounded(result[Symbol.asyncIterator](), bounds));
        },
      };
    },
  };
}

/** Of one subscription, which makes one answer at a time. */
class AnswerBounds {
  #current: { content: ContentBudget; deadline: Deadline } | null = null;
  readonly #leaving = new AbortController();

  constructor(
    private readonly context: Context,
    private readonly limits: Limits,
    private readonly within: Within,
    private readonly inUse: ContentInUse,
    private readonly turns: AnswerTurns,
  ) {}

  async begin(): Promise<void> {
    await this.turns.begin(this.context.viewer.userId, this.#leaving.signal);
    const content = new ContentBudget(this.limits.maxContentBytes, this.inUse);
    const deadline = new Deadline(this.limits.queryTimeoutMs);
    this.#current = { content, deadline };
    bindContext(this.context, this.within({ content, deadline }));
    this.context.content = content;
  }

  /** Nobody waits for an answer any more: none is begun. */
  leave(): void {
    this.#leaving.abort(new GraphQLError('Nobody waits for the answer'));
  }

  /** What the answer that is being made was refused with, if it was. */
  get refusal(): ExecutionResult | null {
    if (this.#current === null) return null;
    const { content, deadline } = this.#current;
    return deadline.hasPassed ? timedOut(deadline) : refused(content);
  }

  /** The answer has been made; there is none when the subscription has ended instead. */
  end(): void {
    if (this.#current === null) return;
    const { content, deadline } = this.#current;
    this.#current = null;
    deadline.end();
    content.end();
    this.turns.end(this.context.viewer.userId);
  }
}

/** The same answers, each within its bounds, also when nobody waits for it any more. */
function bounded(
  results: AsyncIterator<ExecutionResult>,
  bounds: AnswerBounds,
): AsyncIterableIterator<ExecutionResult> {
  const answers: AsyncIterableIterator<ExecutionResult> = {
    [Symbol.asyncIterator]: () => answers,
    next: async () => {
      try {
        const next = await results.next();
        return next.done === true ? next : { value: bounds.refusal ?? next.value };
      } finally {
        bounds.end();
      }
    },
    return: async () => {
      bounds.leave();
      return (await results.return?.()) ?? { done: true, value: undefined };
    },
  };
  return answers;
}
