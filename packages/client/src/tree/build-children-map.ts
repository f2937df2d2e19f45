import type { ChildrenMap, TreeMessage } from './tree-message.js';

/**
 * Creates a parent-to-children index, each list in the order of `seq`: O(n) for messages that come in that order, as
 * Chat.messages has them.
 */
export function buildChildrenMap<M extends TreeMessage>(allMessages: Iterable<M>): ChildrenMap<M> {
  const children: ChildrenMap<M> = new Map();
  const unsorted = new Set<M[]>();
  for (const message of allMessages) {
    const siblings = children.get(message.parentId);
    if (siblings === undefined) children.set(message.parentId, [message]);
    else {
      if ((siblings.at(-1)?.seq ?? 0) > message.seq) unsorted.add(siblings);
      siblings.push(message);
    }
  }
  for (const siblings of unsorted) siblings.sort((a, b) => a.seq - b.seq);
  return children;
}
