/** What another row refers to: the database keeps it as long as that row. */
export function requireLoaded<T>(value: T | null, what: string): T {
  if (value === null) throw new Error(`a ${what} is gone while something that refers to it was being read`);
  return value;
}
