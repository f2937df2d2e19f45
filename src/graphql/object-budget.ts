/**
 * How many objects an operation may still return. What it could return is judged before it runs (src/http/limits/cost.ts), by
 * what is usual where a list has no arguments; this counts what it does return, and ends it when that is too much.
 */
import {
  defaultFieldResolver,
  getNamedType,
  getNullableType,
  GraphQLError,
  isLeafType,
  isListType,
  isObjectType,
  type GraphQLSchema,
} from 'graphql';
import { WHOLE_LIST, type PageRequest } from '../conversation/paging.js';
import type { Context } from './context.js';
import type { ListSize } from './list-size.js';

/** The largest number that every database takes for the length of a list. */
const LONGEST_LIST = 2 ** 31 - 1;

export class ObjectBudget {
  #left: number;

  constructor(readonly limit: number) {
    this.#left = limit;
  }

  /** @throws GraphQLError with code COST_LIMIT_EXCEEDED when there were too many already */
  check(): void {
    if (this.#left < 0) throw exceeded(this.limit);
  }

  /**
   * Counts what has been read, or is about to be.
   * @throws GraphQLError with code COST_LIMIT_EXCEEDED
   */
  take(count: number): void {
    this.#left -= count;
    this.check();
  }

  /** Begins anew: for the next answer of a subscription. */
  reset(): void {
    this.#left = this.limit;
  }
}

/** A list that is asked for whole: of one that is longer than may be returned, no more is read than shows that. */
export function wholeList({ budget }: Context): PageRequest<number> {
  return budget === undefined ? WHOLE_LIST : { ...WHOLE_LIST, first: Math.min(budget.limit + 1, LONGEST_LIST) };
}

/** Says how many elements a list may have (see listSize), and that its resolver counts them before it reads them. */
export function countedBefore(size: ListSize): { extensions: { listSize: ListSize; isCountedBefore: true } } {
  return { extensions: { listSize: size, isCountedBefore: true } };
}

/** Has the lists of objects of a schema counted. */
export function withBudget(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      if (!isListType(getNullableType(field.type)) || isLeafType(getNamedType(field.type))) continue;
      const { resolve = defaultFieldResolver } = field;
      const isCounted = field.extensions['isCountedBefore'] !== true;
      field.resolve = (source, args, context: Context, info) => {
        context.budget?.check();
        const list: unknown = resolve(source, args, context, info);
        if (!isCounted) return list;
        return list instanceof Promise ? list.then((each: unknown) => counted(each, context)) : counted(list, context);
      };
    }
  }
  return schema;
}

function counted(list: unknown, { budget }: Context): unknown {
  if (Array.isArray(list)) budget?.take(list.length);
  return list;
}

function exceeded(limit: number): GraphQLError {
  return new GraphQLError(`The operation returns more than ${limit} objects: ask for shorter lists`, {
    extensions: { code: 'COST_LIMIT_EXCEEDED', limit },
  });
}
