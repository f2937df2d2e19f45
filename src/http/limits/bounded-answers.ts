import { GraphQLError, type ExecutionResult } from 'graphql';
import { bindContext, renewLoaders, type Context, type Services } from '../../graphql/context.js';
import type { OperationBounds } from '../../limits/operation-bounds.js';
import type { OperationUse, Usage } from '../../limits/usage.js';
import { answered } from './answered.js';
import { timedOut } from './refusals.js';

/** Bytes that answers read and return that count as one operation in rate limits: those of 500 loaded objects. */
const BYTES_OF_AN_OPERATION = 1024 ** 2;

/** Applies the limits of an operation to reads and writes. */
export type Within = (bounds: OperationBounds) => Pick<Services, 'store' | 'reads'>;

/**
 * Limits each answer of a subscription like a query. A refused answer contains the error, and the subscription
 * continues; one that cannot be made in time ends the subscription.
 */
export class BoundedAnswers {
  #current: OperationUse | null = null;
  /** The cost of answers that is not yet counted for the rate of the user, in operations. */
  #cost = 0;
  readonly #leaving = new AbortController();

  constructor(
    private readonly context: Context,
    private readonly usage: Usage,
    private readonly within: Within,
  ) {}

  readonly begin = async (): Promise<void> => {
    const operations = Math.floor(this.#cost);
    this.#cost -= operations;
    const use = await this.usage.beginAnswer(this.context.viewer.userId, this.#leaving, operations);
    this.#current = use;
    this.context.content = use.content;
    bindContext(this.context, this.within(use));
  };

  /** Returns the same results, each within its limits, also after the client disconnected. */
  of(results: AsyncIterator<ExecutionResult>): AsyncIterableIterator<ExecutionResult> {
    const answers: AsyncIterableIterator<ExecutionResult> = {
      [Symbol.asyncIterator]: () => answers,
      next: async () => {
        try {
          const next = await results.next();
          if (next.done === true || this.#current === null) return next;
          const { deadline } = this.#current;
          const value = await answered(next.value, this.context);
          return { value: deadline.hasPassed ? timedOut(deadline) : value };
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

  /** Ends the current answer; there is none when the subscription ended instead. */
  #end(): void {
    if (this.#current === null) return;
    this.#cost += this.#current.content.bytes / BYTES_OF_AN_OPERATION;
    this.#current.end();
    this.#current = null;
    // The account of memory no longer has its rows.
    renewLoaders(this.context);
  }
}
