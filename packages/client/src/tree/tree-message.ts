/** What the tree utilities read of a message. */
export interface TreeMessage {
  readonly id: string;
  /** Null for a root. */
  readonly parentId: string | null;
  /** Its number in its chat, in the order of saving. Times of creation may be equal, or inverted by an import. */
  readonly seq: number;
}

/** A parent-to-children index: under a message's id its children in the order of `seq`, under null the roots. */
export type ChildrenMap<M extends TreeMessage> = Map<string | null, M[]>;
