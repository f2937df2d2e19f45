/** Integer arguments of a field, defaults included. */
export type IntArguments = Readonly<Record<string, number | null | undefined>>;

/** Maximum number of elements of a list. */
export type ListSize = number | ((args: IntArguments) => number);

/** Assumed size of a chain without `limit`: chains read as a whole are mostly shorter. */
export const CHAIN_SIZE = 1000;

/**
 * Declares the maximum size of a list for cost estimates. Connections have page arguments, and other lists count as
 * short: see src/http/limits/cost.ts.
 */
export function listSize(size: ListSize): { extensions: { listSize: ListSize } } {
  return { extensions: { listSize: size } };
}

/** The maximum size of a chain. An invalid argument is an error of the field itself. */
export function chainSize({ limit }: IntArguments): number {
  return limit == null || limit < 0 ? CHAIN_SIZE : limit;
}
