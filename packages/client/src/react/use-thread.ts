import {
  createContext,
  createElement,
  useContext,
  useEffect,
  useMemo,
  useSyncExternalStore,
  type ReactNode,
} from 'react';
import type { Draft } from '../drafts/chat-drafts.js';
import type { SiblingInfo } from '../message.js';
import type { ThreadState } from '../store/thread-state.js';
import type { ThreadStore } from '../thread-store.js';
import { StoresContext, type ThreadView } from './provider.js';

/** The state of a chat, and its store for all writes. */
export interface Thread extends ThreadState {
  store: ThreadStore;
}

/** The id of a chat, in the store that its components share, or a store. */
export type ThreadSource = string | ThreadStore;

const Chat = createContext<{ source: ThreadSource; view: ThreadView } | null>(null);

export interface ChatProviderProps extends Pick<ThreadView, 'branch'> {
  /** Or your own store. */
  chatId: ThreadSource;
  children?: ReactNode;
}

/** Sets the chat and branch that `useSiblings` and `useDraft` read below it. */
export function ChatProvider({ chatId, branch, children }: ChatProviderProps): ReactNode {
  const value = useMemo(() => ({ source: chatId, view: { branch } }), [chatId, branch]);
  return createElement(Chat.Provider, { value }, children);
}

/**
 * A chat, live while a component shows it. Opening it reads one page.
 * @param source the id of a chat, or a store. With `branch`, another store of the same chat shows that branch, over
 * the same connection
 */
export function useThread(source: ThreadSource, view: ThreadView = {}): Thread {
  const store = useStore(source, view);
  const state = useSyncExternalStore(store.subscribe, store.getState, store.getInitialState);
  return { ...state, store };
}

/** A part of a store's state: the component renders when the part changes, by `Object.is`. */
export function useThreadState<Part>(
  source: ThreadSource,
  part: (state: ThreadState) => Part,
  view: ThreadView = {},
): Part {
  const store = useStore(source, view);
  return useSyncExternalStore(
    store.subscribe,
    () => part(store.getState()),
    () => part(store.getInitialState()),
  );
}

/** The versions of a message, and the ids that its arrows lead to; null for an unread message. */
export function useSiblings(messageId: string, source?: ThreadSource): SiblingInfo | null {
  const store = useStore(...useChat(source));
  const get = () => store.getMessageSiblingInfo(messageId);
  return useSyncExternalStore(store.subscribe, get, get);
}

/** A draft by its id, or the newest draft; null when there is none. */
export function useDraft(draftId?: string, source?: ThreadSource): Draft | null {
  const [chat, view] = useChat(source);
  return useThreadState(
    chat,
    ({ drafts }) => (draftId === undefined ? drafts.at(-1) : drafts.find(({ id }) => id === draftId)) ?? null,
    view,
  );
}

export interface MessageTreeSyncProps {
  /** Null when no chat is open, as on the home page: the tree is emptied. */
  chatId: string | null;
  /** Receives the tree, for example a store of `withThreads`. */
  setAllMessages(messages: ThreadState['allMessages']): void;
  /** The client of TanStack Query, if any: it caches the tree under `['parley', 'tree', chatId]`. */
  queryClient?: { setQueryData(key: readonly unknown[], messages: ThreadState['allMessages']): unknown };
}

/** Renders nothing. Reads the whole tree of a chat, and writes it into a store, live. */
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

function useStore(source: ThreadSource, view: ThreadView): ThreadStore {
  const stores = useContext(StoresContext);
  if (typeof source !== 'string' && view.branch == null) return source;
  if (stores === null) throw new Error('ParleyProvider is missing');
  return stores.thread(typeof source === 'string' ? source : source.chatId, view);
}

/** The given chat, or that of the ChatProvider above. */
function useChat(given: ThreadSource | undefined): [ThreadSource, ThreadView] {
  const above = useContext(Chat);
  if (given !== undefined) return [given, {}];
  if (above === null) throw new Error('ChatProvider or chatId is missing');
  return [above.source, above.view];
}
