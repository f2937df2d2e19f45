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

/** Distinct keys up to which the serializer of the engine is faster: it looks for each of them in each object. */
const FEW_KEYS = 16;

/**
 * The canonical form of RFC 8785 (JCS) of parsed JSON within the bounds. Own code, because canonicalize 3 for Node 20
 * takes five times the time, which each save and `npm run verify` would spend on each message.
 */
export function rfc8785(value: unknown): string {
  const keys = new Set<string>();
  addKeys(value, keys);
  // The default order compares UTF-16 code units, as JCS requires. The engine writes the members in the order of this list.
  return keys.size <= FEW_KEYS && !keys.has('__proto__') ? JSON.stringify(value, [...keys].sort()) : written(value);
}

/** Adds the keys of all objects in a value, up to a few. */
function addKeys(value: unknown, keys: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const element of value) addKeys(element, keys);
    return;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const key in members) {
    if (keys.size > FEW_KEYS) return;
    keys.add(key);
    addKeys(members[key], keys);
  }
}

function written(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const element of value) text += `${text === '' ? '' : ','}${written(element)}`;
    return `[${text}]`;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(members).sort()) {
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${written(members[key])}`;
  }
  return `{${text}}`;
}
