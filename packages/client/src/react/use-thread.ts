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
import type { SiblingInfo } from '../store/message.js';
import type { ThreadState } from '../store/thread-state.js';
import type { ThreadStore } from '../store/thread-store.js';
import { StoresContext, type ThreadView } from './provider.js';

/** What a component shows of a chat, and its store with all that can be done to it. */
export interface Thread extends ThreadState {
  store: ThreadStore;
}

/** A chat by its id, in the store that its components share, or a store. */
export type ThreadSource = string | ThreadStore;

const Chat = createContext<{ source: ThreadSource; view: ThreadView } | null>(null);

export interface ChatProviderProps extends Pick<ThreadView, 'branch'> {
  /** Or a store of your own. */
  chatId: ThreadSource;
  children?: ReactNode;
}

/** Names the chat, and the branch of a pane, that `useSiblings` and `useDraft` read below it. */
export function ChatProvider({ chatId, branch, children }: ChatProviderProps): ReactNode {
  const value = useMemo(() => ({ source: chatId, view: { branch } }), [chatId, branch]);
  return createElement(Chat.Provider, { value }, children);
}

/**
 * A chat, live: opened with one page as long as a component shows it.
 * @param source the id of a chat, or a store. With `branch`, another store of the same chat shows that branch, so that
 *   two panes show two branches over one connection
 */
export function useThread(source: ThreadSource, view: ThreadView = {}): Thread {
  const store = useStore(source, view);
  const state = useSyncExternalStore(store.subscribe, store.getState, store.getInitialState);
  return { ...state, store };
}

/** A part of what a store shows: the component renders when that changes, by `Object.is`. */
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

/** The versions of a message, and where its arrows lead; null for one that was not seen. */
export function useSiblings(messageId: string, source?: ThreadSource): SiblingInfo | null {
  const store = useStore(...useChat(source));
  const get = () => store.getMessageSiblingInfo(messageId);
  return useSyncExternalStore(store.subscribe, get, get);
}

/** A message that is being written, by its id, or the newest one; null when there is none. */
export function useDraft(draftId?: string, source?: ThreadSource): Draft | null {
  const [chat, view] = useChat(source);
  return useThreadState(
    chat,
    ({ drafts }) => (draftId === undefined ? drafts.at(-1) : drafts.find(({ id }) => id === draftId)) ?? null,
    view,
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

function useStore(source: ThreadSource, view: ThreadView): ThreadStore {
  const stores = useContext(StoresContext);
  if (typeof source !== 'string' && view.branch == null) return source;
  if (stores === null) throw new Error('There is no ParleyProvider above');
  return stores.thread(typeof source === 'string' ? source : source.chatId, view);
}

/** The chat that is given, or that of the ChatProvider above. */
function useChat(given: ThreadSource | undefined): [ThreadSource, ThreadView] {
  const above = useContext(Chat);
  if (given !== undefined) return [given, {}];
  if (above === null) throw new Error('There is no ChatProvider above, and no chatId');
  return [above.source, above.view];
}
