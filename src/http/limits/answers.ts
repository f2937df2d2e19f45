import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { ContentBudget, type ContentInUse } from '../../conversation/content-budget.js';
import { Deadline } from '../../conversation/deadline.js';
import type { Context } from '../../graphql/context.js';
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
  readonly #content: ContentBudget;
  #deadline: Deadline | null = null;

  constructor(
    private readonly context: Context,
    private readonly limits: Limits,
    private readonly within: Within,
    inUse: ContentInUse,
    private readonly turns: AnswerTurns,
  ) {
    this.#content = new ContentBudget(limits.maxContentBytes, inUse);
  }

  async begin(): Promise<void> {
    await this.turns.begin(this.context.viewer.userId);
    this.#content.beginAnswer();
    this.#deadline = new Deadline(this.limits.queryTimeoutMs);
    const bounds = { deadline: this.#deadline, content: this.#content };
    Object.assign(this.context, this.within(bounds), { content: this.#content });
  }

  /** @returns the answer, or what it was refused with */
  end(answer: ExecutionResult | undefined): ExecutionResult | undefined {
    const deadline = this.#deadline;
    // There is none when the subscription has ended instead.
    if (deadline === null) return answer;
    const refusal = deadline.hasPassed ? timedOut(deadline) : refused(this.#content);
    deadline.end();
    this.#deadline = null;
    this.#content.endAnswer();
    this.turns.end(this.context.viewer.userId);
    return refusal ?? answer;
  }
}

/** The same answers, each within its bounds, also when nobody waits for it any more. */
function bounded(
  results: AsyncIterator<ExecutionResult>,
  bounds: AnswerBounds,
): AsyncIterableIterator<ExecutionResult> {
  const following: AsyncIterableIterator<ExecutionResult> = {
    [Symbol.asyncIterator]: () => following,
    next: async () => {
      try {
        const next = await results.next();
        return next.done === true ? next : { value: bounds.end(next.value) ?? next.value };
      } finally {
        bounds.end(undefined);
      }
    },
    return: async () => (await results.return?.()) ?? { done: true, value: undefined },
  };
  return following;
}
