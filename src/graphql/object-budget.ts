/**
 * How many objects an operation may still return. What it could return is judged before it runs (src/http/limits/cost.ts), by
 * what is usual where a list has no arguments; this counts what it does return, and ends it when that is too much.
 */
import { GraphQLError, responsePathAsArray, type GraphQLResolveInfo } from 'graphql';
import { MAX_LIST_LENGTH, WHOLE_LIST, type PageRequest } from '../conversation/paging.js';
import type { ListSize } from './list-size.js';

export class ObjectBudget {
  #left: number;
  #refusal: GraphQLError | null = null;

  constructor(readonly limit: number) {
    this.#left = limit;
  }

  /** What the operation was refused with, once it was. */
  get refusal(): GraphQLError | null {
    return this.#refusal;
  }

  /** @throws GraphQLError with code COST_LIMIT_EXCEEDED when there were too many already */
  check(): void {
    if (this.#refusal !== null) throw this.#refusal;
  }

  /**
   * Counts what has been read, or is about to be.
   * @param info of the field that returns it
   * @throws GraphQLError with code COST_LIMIT_EXCEEDED
   */
  take(count: number, info: Place): void {
    this.check();
    this.#left -= count;
    if (this.#left < 0) this.#refusal = exceeded(this.limit, info);
    this.check();
  }

  /** Begins anew: for the next answer of a subscription. */
  reset(): void {
    this.#left = this.limit;
    this.#refusal = null;
  }
}

type Place = Pick<GraphQLResolveInfo, 'fieldNodes' | 'path'>;

/** A list that is asked for whole: of one that is longer than may be returned, no more is read than shows that. */
export function wholeList(context: { budget?: ObjectBudget }): PageRequest<number> {
  return context.budget === undefined ? WHOLE_LIST : { ...WHOLE_LIST, first: longestList(context) };
}

/** How many elements of a list, or of several together, are to be read: one more than may be returned shows that there are too many. */
export function longestList({ budget }: { budget?: ObjectBudget }): number {
  return budget === undefined ? MAX_LIST_LENGTH : Math.min(budget.limit + 1, MAX_LIST_LENGTH);
}

/** Says how many elements a list may have (see listSize), and that its resolver counts them before it reads them. */
export function countedBefore(size: ListSize): { extensions: { listSize: ListSize; isCountedBefore: true } } {
  return { extensions: { listSize: size, isCountedBefore: true } };
}

/** The one error of all fields that meet it: it has its place, so that the executor does not make another for each. */
function exceeded(limit: number, { fieldNodes, path }: Place): GraphQLError {
  return new GraphQLError(`The operation returns more than ${limit} objects: ask for shorter lists`, {
    nodes: fieldNodes,
    path: responsePathAsArray(path),
    extensions: { code: 'COST_LIMIT_EXCEEDED', limit },
  });
}
