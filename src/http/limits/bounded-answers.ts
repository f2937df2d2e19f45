import { GraphQLError, type ExecutionResult } from 'graphql';
import { bindContext, type Context, type Services } from '../../graphql/context.js';
import type { OperationBounds } from '../../limits/operation-bounds.js';
import type { OperationUse } from '../../limits/operation-use.js';
import type { Usage } from '../../limits/usage.js';
import { refused, timedOut } from './refusals.js';

/** Binds reads and writes to the limits of an operation. */
export type Within = (bounds: OperationBounds) => Pick<Services, 'store' | 'reads'>;

/**
 * The answers of one subscription, which makes one at a time, each bounded as if it were a query. One that is refused is an
 * answer with that error, and the subscription goes on.
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

  /** The same answers, each within its bounds, also when nobody waits for it any more. */
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
        // Nobody waits for an answer any more: none is begun.
        this.#leaving.abort(new GraphQLError('Nobody waits for the answer'));
        return (await results.return?.()) ?? { done: true, value: undefined };
      },
    };
    return answers;
  }

  /** What the answer that is being made was refused with, if it was. */
  get #refusal(): ExecutionResult | null {
    if (this.#current === null) return null;
    const { content, deadline } = this.#current;
    return deadline.hasPassed ? timedOut(deadline) : refused(content);
  }

  /** The answer has been made; there is none when the subscription has ended instead. */
  #end(): void {
    this.#current?.end();
    this.#current = null;
  }
}
