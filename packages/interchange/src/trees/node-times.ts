/** The times of the messages of a conversation. A message without a time has that of a neighbour. */
import type { SourceConversation } from '../source-conversation.js';

export interface NodeTimes {
  /** For each node in order; null only if the file has no times. */
  readonly each: readonly (number | null)[];
  readonly oldest: number | null;
  readonly newest: number | null;
}

/** A node without a time has that of its parent, and a root that of the next message that has one, else the chat's. */
export function nodeTimes({
  nodes,
  createdAt,
  updatedAt,
}: Pick<SourceConversation, 'nodes' | 'createdAt' | 'updatedAt'>): NodeTimes {
  const each: (number | null)[] = Array.from(nodes, (node) => node.createdAt);
  let oldest: number | null = null;
  let newest: number | null = null;
  for (const time of each) {
    if (time === null) continue;
    if (oldest === null || time < oldest) oldest = time;
    if (newest === null || time > newest) newest = time;
  }
  let next: number | null = null;
  const following = new Map<number, number | null>();
  for (let n = nodes.length - 1; n >= 0; n--) {
    if (nodes[n]?.parentId === null) following.set(n, next);
    next = each[n] ?? next;
  }
  const known = new Map<string, number | null>();
  for (const [n, node] of nodes.entries()) {
    const parent = node.parentId === null ? (following.get(n) ?? createdAt ?? updatedAt) : known.get(node.parentId);
    each[n] ??= parent ?? null;
    known.set(node.id, each[n] ?? null);
  }
  return { each, oldest, newest };
}
