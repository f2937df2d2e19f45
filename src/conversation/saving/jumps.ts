/**
 * Jump pointers: each message references its parent and one farther ancestor, so that any ancestor is O(log depth)
 * steps away (Myers, "An applicative random-access stack", 1983). Both are written once.
 */
import type { StoredDigest } from './message-digest.js';

export interface JumpNode {
  readonly id: string;
  readonly depth: number;
  readonly jumpId: string;
}

export interface SavedNode extends JumpNode, Partial<StoredDigest> {
  /** Its number in the chat. */
  readonly seq: number;
}

/**
 * The jump of a new child of `parent`: when the parent's jump and the next one have the same length, one that covers
 * both; else the parent. A root jumps to itself.
 * @param find the node with an id on the parent's ladder (the parent, its jump, its jump's jump, up to the root)
 */
export function jumpOfChild(parent: JumpNode, find: (id: string) => JumpNode): string {
  const jump = find(parent.jumpId);
  const beyond = find(jump.jumpId);
  return parent.depth - jump.depth === jump.depth - beyond.depth ? beyond.id : parent.id;
}
