/** `@parley/client/use-parley-chat`: useChat of the AI SDK on a ThreadStore, with versions, branches and other tabs. */
import type { AbstractChat, UIMessage } from 'ai';
import { useEffect, useSyncExternalStore } from 'react';
import type { Parley } from '../connection/create-parley.js';
import { useStores } from '../react/provider.js';
import type { Outcome } from '../outcome.js';
import type { Outbox } from '../store/outbox.js';
import type { ThreadState } from '../store/thread-state.js';
import type { ThreadStore } from '../thread-store.js';
import type { ChatSnapshot, ParleyChatOptions, SendMessages } from './parley-chat-options.js';
import { ParleyChat } from './parley-chat.js';

export type { ParleyChatOptions, SendMessages };

/** The index of a message among its versions. */
export interface Versions {
  /** Zero-based. */
  readonly index: number;
  readonly count: number;
  /** The ids for `switchToSibling`; null at the ends. */
  readonly previous: string | null;
  readonly next: string | null;
}

type Turns<Message extends UIMessage> = Pick<
  ParleyChat<Message>,
  | 'setMessages'
  | 'sendMessage'
  | 'regenerate'
  | 'retry'
  | 'stop'
  | 'resumeStream'
  | 'clearError'
  | 'addToolApprovalResponse'
>;
type Tools<Message extends UIMessage> = Pick<AbstractChat<Message>, 'addToolOutput' | 'addToolResult'>;
type Shown = Pick<
  ThreadState,
  'thread' | 'branch' | 'branches' | 'checkpoints' | 'conflicts' | 'hasOlder' | 'hasNewer' | 'isLoading'
>;

export interface UseParleyChat<Message extends UIMessage = UIMessage>
  extends ChatSnapshot<Message>, Turns<Message>, Tools<Message>, Shown {
  /** The id of the chat. */
  readonly id: string;
  readonly store: ThreadStore;
  /** The connection of the store; `status` is that of the turn. */
  readonly storeStatus: ThreadState['status'];
  /** The versions of a message; null for a message that the store has not read. */
  siblings(messageId: string): Versions | null;
  /** Shows another version of a message, with the newest thread below it. */
  switchToSibling(messageId: string): Promise<Outcome>;
  /** Sends another version of a message, and requests an answer to it. */
  edit(messageId: string, text: string): Promise<void>;
  /** Shows a branch, by name. */
  switchBranch(name: string): Promise<Outcome>;
  /** Goes back to a message on a new branch; null for a branch without messages. */
  rewind(messageId: string | null): Promise<Outcome>;
}

/** A chat of each store: its components share the turns, which survive StrictMode and a remount. */
const chats = new WeakMap<ThreadStore, unknown>();

function open<Message extends UIMessage>(parley: Parley, store: ThreadStore, outbox: Outbox | undefined) {
  const chat = new ParleyChat<Message>(parley, store, outbox);
  const {
    setMessages,
    sendMessage,
    regenerate,
    retry,
    stop,
    resumeStream,
    clearError,
    addToolOutput,
    addToolApprovalResponse,
  } = chat;
  const functions = {
    id: store.chatId,
    store,
    ...{ setMessages, sendMessage, regenerate, retry, stop, resumeStream, clearError },
    ...{ addToolOutput, addToolResult: addToolOutput, addToolApprovalResponse },
    siblings: (messageId: string): Versions | null => {
      const info = store.getMessageSiblingInfo(messageId);
      if (info === null) return null;
      const { siblingIndex: index, siblingCount: count, previousId: previous, nextId: next } = info;
      return { index, count, previous, next };
    },
    switchToSibling: (messageId: string) => store.switchToSibling(messageId),
    edit: (messageId: string, text: string) => sendMessage({ text, messageId }),
    switchBranch: (name: string) => store.switchBranch(name),
    rewind: (messageId: string | null) => store.rewind(messageId),
  };
  return { chat, functions };
}

/**
 * A chat with the result of useChat, from the store of the nearest ParleyProvider: every tab shows the same messages
 * under the same ids, and an answer keeps its id after it is saved.
 * @param chatId the id of the chat; with the option `create` of the provider's `thread`, the first message creates
 * the chat
 */
export function useParleyChat<Message extends UIMessage = UIMessage>(
  chatId: string,
  options: ParleyChatOptions<Message> = {},
): UseParleyChat<Message> {
  const { parley, thread, outbox, onConflict } = useStores();
  const { branch, initialState, files } = options;
  const store = thread(chatId, { branch, initialState });
  let made = chats.get(store) as ReturnType<typeof open<Message>> | undefined;
  if (made === undefined) chats.set(store, (made = open<Message>(parley, store, outbox)));
  const { chat, functions } = made;
  useEffect(() => {
    chat.options = { ...options, onConflict: options.onConflict ?? onConflict };
  });
  const snapshot = useSyncExternalStore(chat.subscribe, chat.getSnapshot, chat.getInitialSnapshot);
  const version = () => files?.getVersion();
  useSyncExternalStore((files ?? store).subscribe, version, version);
  const state = useSyncExternalStore(store.subscribe, store.getState, store.getInitialState);
  const messages = files?.show(snapshot.messages) ?? snapshot.messages;
  const own = snapshot.conflicts;
  const conflicts = own.length === 0 ? state.conflicts : [...state.conflicts, ...own];
  return { ...state, ...functions, ...snapshot, messages, conflicts, storeStatus: state.status };
}
