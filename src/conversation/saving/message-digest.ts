/**
 * The values of a message that cover its path: a hash chained from the root, and the usage of the path. The canonical
 * form of the hash is described in docs/graphs.md; it contains neither ids nor users.
 */
import { hash } from 'node:crypto';
import type { Row } from '../tables.js';
import { rfc8785 } from '../text/canonical-json.js';
import { isJsonObject } from '../text/merge-patch.js';
import { addUsage, usageOf, type ModelUsage } from './message-usage.js';

/** Null until computed: an older version wrote the message or an ancestor. */
export type StoredDigest = Pick<Row<'messages'>, 'contentHash' | 'usage'>;

export interface Digest {
  readonly contentHash: string;
  /** JSON: a ModelUsage per model. */
  readonly usage: string;
  /** The usage that the message itself states. */
  readonly ownUsage: ModelUsage | null;
}

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
  const ownUsage = usageOf(data);
  return {
    contentHash: hashOf(message, data, above.contentHash, sources),
    usage: ownUsage === null ? above.usage : withUsage(above.usage, ownUsage),
    ownUsage,
  };
}

/** Whether a value has the form of a hash: 64 hexadecimal digits in lower case. */
export function isContentHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

/** SHA-256 in hex. */
function hashOf(
  { name, type, createdAt }: Hashed,
  data: unknown,
  parent: string | null,
  sources: readonly (string | null)[],
): string {
  // The members in canonical order: sorting them for each message would take a part of the time.
  const content =
    `{"createdAt":"${new Date(createdAt).toISOString()}","data":${rfc8785(withoutId(data))},"name":${JSON.stringify(name)},` +
    `"parent":${JSON.stringify(parent)},"sources":${JSON.stringify(sources)},"type":${JSON.stringify(type)}}`;
  return hash('sha256', content);
}

/** @param sums JSON */
export function withUsage(sums: string | null, usage: ModelUsage | null): string {
  if (usage === null) return sums ?? '[]';
  return JSON.stringify(addUsage(JSON.parse(sums ?? '[]') as ModelUsage[], usage));
}

/** Imports and forks give messages new ids, which UI messages repeat in their data. */
function withoutId(data: unknown): unknown {
  if (!isJsonObject(data) || !Object.hasOwn(data, 'id')) return data;
  const content = { ...data };
  delete content['id'];
  return content;
}
