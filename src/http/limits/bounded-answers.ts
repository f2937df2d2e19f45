import { GraphQLError, type ExecutionResult } from 'graphql';
import { bindContext, type Context, type Services } from '../../graphql/context.js';
import type { OperationBounds } from '../../limits/operation-bounds.js';
import type { OperationUse } from '../../limits/operation-use.js';
import type { Usage } from '../../limits/usage.js';
import { refused, timedOut } from './refusals.js';

/** Applies the limits of an operation to reads and writes. */
export type Within = (bounds: OperationBounds) => Pick<Services, 'store' | 'reads'>;

/**
 * Limits each answer of a subscription like a query. A refused answer contains the error, and the subscription
 * continues.
 */
export class BoundedAnswers {
  #current: OperationUse | null = null;
  readonly #leaving = new AbortController();

  constructor(
    private readonly context: Context,
    private readonly usage: Usage,
    private readonly within: Within,
  ) {}

  async begin(): Promise<void> {
    const use = await this.usage.beginAnswer(this.context.viewer.userId, this.#leaving.signal);
    this.#current = use;
    this.context.content = use.content;
    bindContext(this.context, this.within(use));
  }

  /** Returns the same results, each within its limits, also after the client disconnected. */
  of(results: AsyncIterator<ExecutionResult>): AsyncIterableIterator<ExecutionResult> {
    const answers: AsyncIterableIterator<ExecutionResult> = {
      [Symbol.asyncIterator]: () => answers,
      next: async () => {
        try {
          const next = await results.next();
          return next.done === true ? next : { value: this.#refusal ?? next.value };
        } finally {
          this.#end();
        }
      },
      return: async () => {
        // The client disconnected: do not begin another answer.
        this.#leaving.abort(new GraphQLError('The client disconnected'));
        return (await results.return?.()) ?? { done: true, value: undefined };
      },
    };
    return answers;
  }

  /** The refusal of the current answer, otherwise null. */
  get #refusal(): ExecutionResult | null {
    if (this.#current === null) return null;
    const { content, deadline } = this.#current;
    return deadline.hasPassed ? timedOut(deadline) : refused(content);
  }

  /** Ends the current answer; there is none when the subscription ended instead. */
  #end(): void {
    this.#current?.end();
    this.#current = null;
  }
}
