/** `@parley/client/zustand`: adds the tree of a chat to a store of one thread. */
import type { StateCreator } from 'zustand';
import {
  buildChildrenMap,
  buildThreadFromLeaf,
  findLeafDfsToRightFromMessageId,
  getDefaultThread,
  parentIdOf,
  compareBySaving,
  type ChildrenMap,
  type TreeMessage,
} from '../tree/tree.js';

/** The required member of the base store: the shown thread, root first. */
export interface ThreadHolder<M extends TreeMessage> {
  messages: M[];
}

export interface Threads<M extends TreeMessage> {
  /** All messages of the chat, on all branches. */
  allMessages: readonly M[];
  /** The children of each message, in the order of saving; the roots by null. */
  childrenMap: ChildrenMap<M>;
  /** Increases with each switch of the thread: a React key that remounts useChat. */
  threadEpoch: number;
  /**
   * Replaces the tree. The shown thread grows with it; when its end is missing from the tree, the default thread is
   * shown. An empty tree empties the thread.
   */
  setAllMessages(messages: readonly M[]): void;
  /** The versions of a message in the order of saving, and its index; null for a message outside the tree. */
  getMessageSiblingInfo(messageId: string): { siblings: readonly M[]; siblingIndex: number } | null;
  /**
   * Shows the previous or next version of a message, and the newest thread through it.
   * @returns the thread; null when there is no such version
   */
  switchToSibling(messageId: string, direction: 'prev' | 'next'): M[] | null;
}

/** Callbacks of a switch, in the order of their calls, before another thread is shown. */
export interface Leaving<M extends TreeMessage, State> {
  /** Stops the running stream. */
  stopStream?(state: State): void;
  /** Clears the buffer of the stream. */
  clearBuffer?(state: State): void;
  /** Closes the artifacts of the messages that are no longer shown. */
  closeArtifacts?(left: readonly M[], state: State): void;
}

/** Wraps the store of a chat, which shows one thread, and adds the tree that contains the thread. */
export function withThreads<M extends TreeMessage, Base extends ThreadHolder<M>>(
  base: StateCreator<Base, [], []>,
  leaving: Leaving<M, Base & Threads<M>> = {},
): StateCreator<Base & Threads<M>, [], []> {
  return (set, get, api) => {
    /** The tree by ids, and cached infos of sibling lists. */
    let byId = new Map<string, M>();
    const infos = new WeakMap<readonly M[], Map<string, { siblings: readonly M[]; siblingIndex: number }>>();
    const change = (part: Partial<ThreadHolder<M> & Threads<M>>) => set(part as Partial<Base & Threads<M>>);
    const show = (messages: M[]) => {
      const state = get();
      const kept = new Set(messages.map(({ id }) => id));
      leaving.stopStream?.(state);
      leaving.clearBuffer?.(state);
      leaving.closeArtifacts?.(
        state.messages.filter(({ id }) => !kept.has(id)),
        state,
      );
      change({ messages, threadEpoch: get().threadEpoch + 1 });
      return messages;
    };
    return {
      ...base(set, get, api),
      allMessages: [],
      childrenMap: new Map(),
      threadEpoch: 0,

      setAllMessages(allMessages) {
        const { messages, allMessages: before, childrenMap: known } = get();
        const added = addedTo(before, allMessages);
        if (added === null) byId = new Map();
        for (const message of added ?? allMessages) byId.set(message.id, message);
        const childrenMap = added === null ? buildChildrenMap(allMessages) : withAdded(known, added);
        change({ allMessages, childrenMap });
        const end = messages.at(-1);
        if (end === undefined) return change({ messages: getDefaultThread(allMessages) });
        if (!byId.has(end.id)) return void show(getDefaultThread(allMessages));
        if (!childrenMap.has(end.id)) return;
        const leaf = findLeafDfsToRightFromMessageId(childrenMap, end.id) ?? end;
        change({ messages: buildThreadFromLeaf(allMessages, leaf.id) });
      },

      getMessageSiblingInfo(messageId) {
        const message = byId.get(messageId);
        const siblings = message && get().childrenMap.get(parentIdOf(message));
        if (siblings === undefined) return null;
        let known = infos.get(siblings);
        if (known === undefined) {
          known = new Map(siblings.map(({ id }, siblingIndex) => [id, { siblings, siblingIndex }]));
          infos.set(siblings, known);
        }
        return known.get(messageId) ?? null;
      },

      switchToSibling(messageId, direction) {
        const { allMessages, childrenMap, getMessageSiblingInfo } = get();
        const info = getMessageSiblingInfo(messageId);
        const sibling = info?.siblings[info.siblingIndex + (direction === 'next' ? 1 : -1)];
        if (sibling === undefined) return null;
        const leaf = findLeafDfsToRightFromMessageId(childrenMap, sibling.id) ?? sibling;
        return show(buildThreadFromLeaf(allMessages, leaf.id));
      },
    };
  };
}

/** The messages appended to a tree; null when the tree has changed elsewhere. */
function addedTo<M extends TreeMessage>(before: readonly M[], now: readonly M[]): readonly M[] | null {
  const last = before.at(-1);
  const added = now.slice(before.length);
  if (last === undefined || before.some((message, n) => now[n] !== message)) return null;
  return added.every((message) => compareBySaving(last, message) < 0) ? added : null;
}

/** Lists that have not grown are the same. */
function withAdded<M extends TreeMessage>(childrenMap: ChildrenMap<M>, added: readonly M[]): ChildrenMap<M> {
  const next = new Map(childrenMap);
  for (const [parentId, children] of buildChildrenMap(added)) {
    next.set(parentId, [...(next.get(parentId) ?? []), ...children]);
  }
  return next;
}
