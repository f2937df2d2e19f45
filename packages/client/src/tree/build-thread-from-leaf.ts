import type { TreeMessage } from './tree-message.js';

/**
 * Walks `parentId` links from a leaf to the root to construct the active thread, root first: O(n).
 * A message whose parent is not among them begins it; so does one whose links lead back to itself.
 * @param allMessages in any order
 * @returns [] when the leaf is not among them
 */
export function buildThreadFromLeaf<M extends TreeMessage>(allMessages: Iterable<M>, leafId: string): M[] {
  const byId = new Map<string, M>();
  for (const message of allMessages) byId.set(message.id, message);
  return threadFrom(byId, leafId);
}

/** The same for messages that are looked up by their ids. */
export function threadFrom<M extends TreeMessage>(byId: ReadonlyMap<string, M>, leafId: string): M[] {
  const thread: M[] = [];
  let message = byId.get(leafId);
  while (message !== undefined && thread.length < byId.size) {
    thread.push(message);
    message = message.parentId === null ? undefined : byId.get(message.parentId);
  }
  return thread.reverse();
}
