/**
 * JSON in which equal values are equal text: sorted keys, numbers as JSON.stringify writes them. Takes JSON within the
 * bounds (200 levels deep). Keys like "10" precede others: stored metadata has this order, so it differs from rfc8785.
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

/**
 * The canonical form of RFC 8785 (JCS) of parsed JSON within the bounds. Own code, because canonicalize 3 for Node 20
 * takes twice the time, which `npm run verify` would spend on each message.
 */
export function rfc8785(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const element of value) text += `${text === '' ? '' : ','}${rfc8785(element)}`;
    return `[${text}]`;
  }
  const members = value as Readonly<Record<string, unknown>>;
  // The default order compares UTF-16 code units, as JCS requires.
  for (const key of Object.keys(members).sort()) {
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${rfc8785(members[key])}`;
  }
  return `{${text}}`;
}
