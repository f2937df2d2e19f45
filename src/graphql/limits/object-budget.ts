/**
 * Counts the objects that an operation returns and ends it at the limit. The estimate before it runs
 * (src/http/limits/cost.ts) assumes usual sizes for lists without arguments.
 */
import { GraphQLError, responsePathAsArray, type GraphQLResolveInfo } from 'graphql';
import { MAX_LIST_LENGTH, WHOLE_LIST, type PageRequest } from '../../conversation/paging.js';
import type { ListSize } from './list-size.js';

export class ObjectBudget {
  #left: number;
  /** The refusal of the operation, once it was refused. */
  refusal: GraphQLError | null = null;

  constructor(readonly limit: number) {
    this.#left = limit;
  }

  /** @throws GraphQLError with code COST_LIMIT_EXCEEDED when the limit was exceeded before */
  check(): void {
    if (this.refusal !== null) throw this.refusal;
  }

  /**
   * Counts objects that were read or will be read.
   * @param info resolve info of the field that returns them
   * @throws GraphQLError with code COST_LIMIT_EXCEEDED
   */
  take(count: number, info: FieldInfo): void {
    this.check();
    this.#left -= count;
    if (this.#left < 0) this.refusal = exceeded(this.limit, info);
    this.check();
  }

  /** Resets the count for the next answer of a subscription. */
  reset(): void {
    this.#left = this.limit;
    this.refusal = null;
  }
}

type FieldInfo = Pick<GraphQLResolveInfo, 'fieldNodes' | 'path'>;

/** Page request for a whole list: reads at most one element more than may be returned. */
export function wholeList(context: { budget?: ObjectBudget }): PageRequest<number> {
  return context.budget === undefined ? WHOLE_LIST : { ...WHOLE_LIST, first: longestList(context) };
}

/**
 * Number of elements to read from one or several lists: one more than may be returned shows that there are too many.
 */
export function longestList({ budget }: { budget?: ObjectBudget }): number {
  return budget === undefined ? MAX_LIST_LENGTH : Math.min(budget.limit + 1, MAX_LIST_LENGTH);
}

/** Declares the maximum size of a list (see listSize), and that its resolver counts elements before reading them. */
export function countedBefore(size: ListSize): { extensions: { listSize: ListSize; isCountedBefore: true } } {
  return { extensions: { listSize: size, isCountedBefore: true } };
}

/** One error for all fields beyond the limit: it has its path, so that the executor does not create one for each. */
function exceeded(limit: number, { fieldNodes, path }: FieldInfo): GraphQLError {
  return new GraphQLError(`The operation returns more than ${limit} objects: request shorter lists`, {
    nodes: fieldNodes,
    path: responsePathAsArray(path),
    extensions: { code: 'COST_LIMIT_EXCEEDED', limit },
  });
}
