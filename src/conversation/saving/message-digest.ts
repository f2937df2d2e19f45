/**
 * The values of a message that cover its path: a hash chained from the root, and the sums of a feature. The canonical form of the
 * hash is described in docs/graphs.md; it contains neither ids nor users.
 */
import { hash } from 'node:crypto';
import type { Row } from '../tables.js';
import { rfc8785 } from '../text/canonical-json.js';
import { isJsonObject } from '../text/merge-patch.js';

/** Null until computed: an older version wrote the message or an ancestor. */
export type StoredDigest = Pick<Row<'messages'>, 'contentHash' | 'usage'>;

export interface Digest {
  readonly contentHash: string;
  /** JSON: see MessageSums. */
  readonly usage: string;
  /** The part of the message itself. */
  readonly ownUsage: object | null;
}

/** Sums over the messages of a path or a chat, which a feature makes of their data: the columns `usage`. */
export interface MessageSums {
  /** @param data parsed @returns null for a message that adds nothing */
  of(data: unknown): object | null;
  /** @param sums JSON; null for none */
  add(sums: string | null, own: object): string;
}

/** A feature replaces both before a database is opened: see src/features/all-forms.ts. */
export const messageSums: MessageSums = { of: () => null, add: (sums) => sums ?? '[]' };

type Hashed = Pick<Row<'messages'>, 'name' | 'type' | 'createdAt'>;

/**
 * @param data parsed
 * @param parent null for a root
 * @param sources the hashes of its sources, in their order
 * @returns null while the parent or a source has none
 */
export function digestOf(
  message: Hashed,
  data: unknown,
  parent: StoredDigest | null,
  sources: readonly (string | null)[],
): Digest | null {
  const above = parent === null ? { contentHash: null, usage: '[]' } : parent;
  if (above.usage === null || (parent !== null && above.contentHash === null) || sources.includes(null)) return null;
  const ownUsage = messageSums.of(data);
  return {
    contentHash: hashOf(message, data, above.contentHash, sources),
    usage: ownUsage === null ? above.usage : messageSums.add(above.usage, ownUsage),
    ownUsage,
  };
}

/** Whether a value has the form of a hash: 64 hexadecimal digits in lower case. */
export function isContentHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

function hashOf(
  { name, type, createdAt }: Hashed,
  data: unknown,
  parent: string | null,
  sources: readonly (string | null)[],
): string {
  // Imports and forks give messages new ids, which UI messages repeat in their data.
  const { id: _, ...content } = isJsonObject(data) ? data : {};
  // The members in canonical order: sorting them for each message would take a part of the time.
  const text =
    `{"createdAt":"${new Date(createdAt).toISOString()}","data":${rfc8785(isJsonObject(data) ? content : data)},"name":${JSON.stringify(name)},` +
    `"parent":${JSON.stringify(parent)},"sources":${JSON.stringify(sources)},"type":${JSON.stringify(type)}}`;
  return hash('sha256', text);
}
