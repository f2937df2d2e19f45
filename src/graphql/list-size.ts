/** Integers among the arguments of a field, defaults included. */
export type IntArguments = Readonly<Record<string, number | null | undefined>>;

/** How many elements a list may have at most. */
export type ListSize = number | ((args: IntArguments) => number);

/** A chain whose `limit` is not given: those that are read whole are seldom longer. */
export const CHAIN_SIZE = 1000;

/**
 * Says how many elements a list may have: what an operation may cost is judged by it. Connections have page arguments,
 * and other lists are taken for short ones: see src/http/limits/cost.ts.
 */
export function listSize(size: ListSize): { extensions: { listSize: ListSize } } {
  return { extensions: { listSize: size } };
}

/** Of a chain, by its argument. One that is out of bounds is the field's own error. */
export function chainSize({ limit }: IntArguments): number {
  return limit == null || limit < 0 ? CHAIN_SIZE : limit;
}
