/** Lengths of JSON values of an answer, each measured once. */
const lengths = new WeakMap<object, number>();

/** @param length characters of the value as JSON, or more */
export function rememberLength(value: unknown, length: number): void {
  if (typeof value === 'object' && value !== null) lengths.set(value, length);
}

/** Characters of a value as JSON, or more. */
export function jsonLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  const length = lengths.get(value) ?? JSON.stringify(value).length;
  lengths.set(value, length);
  return length;
}
