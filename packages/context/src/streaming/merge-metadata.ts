import { isRecord } from '../record.js';

/** Merges a chunk's metadata: members of objects are merged, all else is replaced. */
export function mergeMetadata(before: unknown, update: unknown): unknown {
  if (update == null) return before;
  if (before == null) return update;
  // Only objects can be merged.
  if (!isRecord(before) || !isRecord(update)) return update;
  const merged: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(update)) {
    if (name === '__proto__' || name === 'constructor' || name === 'prototype') continue;
    const there = Object.hasOwn(before, name) ? before[name] : undefined;
    merged[name] = isRecord(value) && isRecord(there) ? mergeMetadata(there, value) : value;
  }
  return merged;
}
