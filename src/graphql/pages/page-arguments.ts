import type { PageRequest } from '../../conversation/paging.js';
import { badUserInput } from '../bad-user-input.js';

const DEFAULT_PAGE_SIZE = 20;
const MAX_PAGE_SIZE = 1000;

export interface PageArguments {
  first?: number | null | undefined;
  last?: number | null | undefined;
  after?: string | null | undefined;
  before?: string | null | undefined;
}

/**
 * The requested page: the first 20 elements by default.
 * @param decode reads a cursor; errors name the argument
 * @throws GraphQLError with code BAD_USER_INPUT
 */
export function readPage<P>(args: PageArguments, decode: (cursor: string, argument: string) => P): PageRequest<P> {
  if (args.first != null && args.last != null) throw badUserInput('first and last cannot be given together');
  const last = readSize(args.last, 'last');
  return {
    first: readSize(args.first, 'first') ?? (last === null ? DEFAULT_PAGE_SIZE : null),
    last,
    after: args.after == null ? null : decode(args.after, 'after'),
    before: args.before == null ? null : decode(args.before, 'before'),
  };
}

/** Maximum number of elements of a page; arguments that readPage refuses count as the largest page. */
export function pageSize({ first, last }: Pick<PageArguments, 'first' | 'last'>): number {
  const size = first ?? last ?? DEFAULT_PAGE_SIZE;
  const isRefused = (first != null && last != null) || size < 0 || size > MAX_PAGE_SIZE;
  return isRefused ? MAX_PAGE_SIZE : size;
}

function readSize(size: number | null | undefined, argument: string): number | null {
  if (size == null) return null;
  if (size < 0 || size > MAX_PAGE_SIZE) throw badUserInput(`${argument} must be 0 to ${MAX_PAGE_SIZE}, not ${size}`);
  return size;
}

/** The argument `limit` of a chain: null for none. */
export function readLimit(limit: number | null | undefined): number | null {
  if (limit == null) return null;
  if (limit < 0) throw badUserInput(`limit must not be negative, but is ${limit}`);
  return limit;
}
