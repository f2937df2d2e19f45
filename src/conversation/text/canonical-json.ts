/**
 * JSON in which equal values are equal text: sorted keys, numbers as JSON.stringify writes them. Takes JSON within the
 * bounds (200 levels deep).
 */
export function canonicalJson(text: string): string {
  return JSON.stringify(sorted(JSON.parse(text)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries defines members, so that a key named __proto__ stays a member.
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}
