/** `@parley/client/tree`: functions on lists of messages, for an application with its own state. Each is O(n). */

/** The id of the parent, null for a root, under one of two names. */
type Child = { readonly parentId: string | null } | { readonly parentMessageId: string | null };

/** The fields of a message that these functions read. */
export type TreeMessage = Child & {
  readonly id: string;
  /**
   * The number of the message in its chat, in the order of saving. Creation times can be equal, or inverted by an
   * import.
   */
  readonly seq?: number;
  /**
   * The order of messages without `seq`: milliseconds, a Date or its ISO text. Equal times keep the order of the
   * list.
   */
  readonly createdAt?: number | string | Date;
};

/**
 * The id of a message's parent; null for a root.
 * @throws TypeError for a message without `parentId` and `parentMessageId`
 */
export function parentIdOf(message: TreeMessage): string | null {
  const { parentMessageId, parentId = parentMessageId } = message as {
    parentMessageId?: string | null;
    parentId?: string | null;
  };
  if (parentId === undefined) throw new TypeError(`Message ${message.id} has neither parentId nor parentMessageId`);
  return parentId;
}

const timeOf = ({ createdAt = 0 }: TreeMessage) => +new Date(createdAt);

/** Compares two messages by the order of saving: negative when the first is older. */
export const compareBySaving = (a: TreeMessage, b: TreeMessage) =>
  a.seq === undefined || b.seq === undefined ? timeOf(a) - timeOf(b) : a.seq - b.seq;

/** Children in the order of saving, by the id of their parent; the roots by null. */
export type ChildrenMap<M extends TreeMessage> = Map<string | null, M[]>;

/**
 * The thread that ends in a leaf, root first. It starts at the first message without a parent in the list.
 * @param allMessages in any order
 * @returns [] when the leaf is not in the list
 */
export function buildThreadFromLeaf<M extends TreeMessage>(allMessages: Iterable<M>, leafId: string): M[] {
  const byId = new Map<string, M>();
  for (const message of allMessages) byId.set(message.id, message);
  const thread: M[] = [];
  let message = byId.get(leafId);
  // Terminates for a cycle of parents, too.
  while (message !== undefined && thread.length < byId.size) {
    thread.push(message);
    const parentId = parentIdOf(message);
    message = parentId === null ? undefined : byId.get(parentId);
  }
  return thread.reverse();
}

/** The children of each message. Sorts only lists that are not in the order of saving, the order of Chat.messages. */
export function buildChildrenMap<M extends TreeMessage>(allMessages: Iterable<M>): ChildrenMap<M> {
  const children: ChildrenMap<M> = new Map();
  const unsorted = new Set<M[]>();
  for (const message of allMessages) {
    const parentId = parentIdOf(message);
    const siblings = children.get(parentId);
    if (siblings === undefined) children.set(parentId, [message]);
    else {
      if (compareBySaving(siblings.at(-1) ?? message, message) > 0) unsorted.add(siblings);
      siblings.push(message);
    }
  }
  for (const siblings of unsorted) siblings.sort(compareBySaving);
  return children;
}

/** The thread that ends in the newest leaf, as Chat.latestLeaf. */
export function getDefaultThread<M extends TreeMessage>(allMessages: Iterable<M>): M[] {
  const all = [...allMessages];
  const parents = new Set(all.map(parentIdOf));
  let newest: M | undefined;
  for (const message of all) {
    // A parent can have the same time as its child.
    if (!parents.has(message.id) && (newest === undefined || compareBySaving(newest, message) <= 0)) newest = message;
  }
  return newest === undefined ? [] : buildThreadFromLeaf(all, newest.id);
}

/**
 * The leaf below a message, by the newest child at every step: the end of the thread after a switch to a sibling.
 * @returns null when neither the message nor a child is in the map
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

/** Searches all lists, because only the list of its parent contains a leaf. */
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
