import type { TreeMessage } from './tree-message.js';

/**
 * DFS to find the rightmost leaf from a given node, by the newest child at every step: what switching to a sibling shows.
 * @returns null when neither the message nor any child of it is there
 */
export function findLeafDfsToRightFromMessageId<M extends TreeMessage>(
  childrenMap: ReadonlyMap<string | null, readonly M[]>,
  messageId: string,
): M | null {
  let leaf: M | null = null;
  const seen = new Set<string>();
  for (let id: string | null = messageId; id !== null && !seen.has(id);) {
    seen.add(id);
    const child: M | undefined = childrenMap.get(id)?.at(-1);
    leaf = child ?? leaf;
    id = child?.id ?? null;
  }
  return leaf ?? messageIn(childrenMap, messageId);
}

/** A leaf is in its parent's list alone, so that all lists are looked through. */
function messageIn<M extends TreeMessage>(
  childrenMap: ReadonlyMap<string | null, readonly M[]>,
  messageId: string,
): M | null {
  for (const siblings of childrenMap.values()) {
    const found = siblings.find(({ id }) => id === messageId);
    if (found !== undefined) return found;
  }
  return null;
}
