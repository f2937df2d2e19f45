import { buildThreadFromLeaf } from './build-thread-from-leaf.js';
import type { TreeMessage } from './tree-message.js';

/** Finds the most recent leaf and builds the thread to it: the message saved last, as Chat.latestLeaf has it. O(n). */
export function getDefaultThread<M extends TreeMessage>(allMessages: Iterable<M>): M[] {
  const all = [...allMessages];
  const newest = all.reduce<M | undefined>(
    (last, next) => (last === undefined || next.seq > last.seq ? next : last),
    undefined,
  );
  // Whoever is saved last has no children yet.
  return newest === undefined ? [] : buildThreadFromLeaf(all, newest.id);
}
