import { createContext, createElement, useContext, useEffect, useSyncExternalStore, type ReactNode } from 'react';
import type { Draft } from '../drafts/chat-drafts.js';
import type { SiblingInfo } from '../store/message.js';
import type { ThreadState } from '../store/thread-state.js';
import type { ThreadStore } from '../store/thread-store.js';
import { useStores } from './provider.js';

/** What a component shows of a chat, and its store with all that can be done to it. */
export interface Thread extends ThreadState {
  store: ThreadStore;
}

const Chat = createContext<string | null>(null);

/** Says of which chat `useSiblings` and `useDraft` speak below it, when more than one is open. */
export function ChatProvider({ chatId, children }: { chatId: string; children?: ReactNode }): ReactNode {
  return createElement(Chat.Provider, { value: chatId }, children);
}

/** A chat, live: opened with one page as long as a component shows it. */
export function useThread(chatId: string): Thread {
  const store = useStores().thread(chatId);
  const state = useSyncExternalStore(store.subscribe, store.getState, store.getState);
  return { ...state, store };
}

/** A part of what a store shows: the component renders when that changes, by `Object.is`. */
export function useThreadState<Part>(chatId: string, part: (state: ThreadState) => Part): Part {
  const store = useStores().thread(chatId);
  const get = () => part(store.getState());
  return useSyncExternalStore(store.subscribe, get, get);
}

/** The versions of a message, and where its arrows lead; null for one that was not seen. */
export function useSiblings(messageId: string, chatId = useContext(Chat)): SiblingInfo | null {
  const store = useStores().thread(required(chatId));
  const get = () => store.getMessageSiblingInfo(messageId);
  return useSyncExternalStore(store.subscribe, get, get);
}

/** A message that is being written, by its id, or the newest one; null when there is none. */
export function useDraft(draftId?: string, chatId = useContext(Chat)): Draft | null {
  return useThreadState(
    required(chatId),
    ({ drafts }) => (draftId === undefined ? drafts.at(-1) : drafts.find(({ id }) => id === draftId)) ?? null,
  );
}

export interface MessageTreeSyncProps {
  /** Null where no chat is open, as on the home page: the tree is emptied. */
  chatId: string | null;
  /** What the tree is fed to: a store of `withThreads`, for one. */
  setAllMessages(messages: ThreadState['allMessages']): void;
  /** TanStack Query's, where the app has one: the tree is in its cache under `['parley', 'tree', chatId]`. */
  queryClient?: { setQueryData(key: readonly unknown[], messages: ThreadState['allMessages']): unknown };
}

/** Renders nothing: reads the whole tree of a chat, and feeds it to a store as it grows. */
export function MessageTreeSync({ chatId, ...feeds }: MessageTreeSyncProps): ReactNode {
  return chatId === null ? createElement(EmptyTree, feeds) : createElement(TreeFeed, { ...feeds, chatId });
}

function EmptyTree({ setAllMessages }: Pick<MessageTreeSyncProps, 'setAllMessages'>): null {
  useEffect(() => setAllMessages([]), [setAllMessages]);
  return null;
}

function TreeFeed({ chatId, setAllMessages, queryClient }: MessageTreeSyncProps & { chatId: string }): null {
  const { store, allMessages, chat } = useThread(chatId);
  const isRead = chat !== null;
  useEffect(() => {
    if (isRead) void store.loadAll();
  }, [store, isRead]);
  useEffect(() => {
    if (!isRead) return;
    setAllMessages(allMessages);
    queryClient?.setQueryData(['parley', 'tree', chatId], allMessages);
  }, [chatId, isRead, allMessages, setAllMessages, queryClient]);
  return null;
}

function required(chatId: string | null): string {
  if (chatId === null) throw new Error('There is no ChatProvider above, and no chatId');
  return chatId;
}
