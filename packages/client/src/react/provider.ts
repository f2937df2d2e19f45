import { createContext, createElement, useContext, useEffect, useState, type ReactNode } from 'react';
import { EditableChatList } from '../chats/editable-chat-list.js';
import type { ChatFilter } from '../generated/operations.js';
import type { Parley } from '../connection/create-parley.js';
import type { InitialState } from '../store/initial-state.js';
import type { Outbox } from '../store/outbox.js';
import type { OnConflict } from '../store/thread-state.js';
import type { ThreadOptions } from '../thread-options.js';
import { ThreadStore } from '../thread-store.js';

/** The view of a chat that a component shows. */
export interface ThreadView {
  /**
   * The name of the branch to show, in another store.
   * @default the active branch
   */
  branch?: string | null | undefined;
  /** The result of `readThreadState` for this chat and branch: shown until the store is live. */
  initialState?: InitialState | null | undefined;
}

/** The stores of the open chats: all components of a chat and branch share one. */
export interface Stores {
  parley: Parley;
  thread(chatId: string, view?: ThreadView): ThreadStore;
  chats(filter?: ChatFilter | null): EditableChatList;
  outbox: Outbox | undefined;
  onConflict: OnConflict | undefined;
}

export const StoresContext = createContext<Stores | null>(null);

export interface ParleyProviderProps {
  /** Create it once, outside of components. */
  parley: Parley;
  /** Options for the stores of `useThread`. Later changes have no effect. */
  thread?: Omit<ThreadOptions, 'branch' | 'initialState'>;
  /** Results of `readThreadState`, for the chats of the first render. */
  initialState?: InitialState | null | readonly (InitialState | null)[];
  children?: ReactNode;
}

/** Provides a client for the hooks below it, and sends messages that earlier pages left in `thread.outbox`. */
export function ParleyProvider({ parley, thread = {}, initialState = null, children }: ParleyProviderProps): ReactNode {
  const [made, make] = useState(() => storesOf(parley, thread, initialState));
  let stores = made;
  if (made.parley !== parley) {
    stores = storesOf(parley, thread, initialState);
    make(stores);
  }
  const { outbox } = thread;
  useEffect(() => {
    void outbox?.list().then((messages) => {
      for (const { chatId, branch } of messages) void stores.thread(chatId, { branch }).resend();
    });
  }, [outbox, stores]);
  return createElement(StoresContext.Provider, { value: stores }, children);
}

/** @throws Error outside of a ParleyProvider */
export function useStores(): Stores {
  const stores = useContext(StoresContext);
  if (stores === null) throw new Error('ParleyProvider is missing');
  return stores;
}

/** The client of the nearest ParleyProvider. */
export const useParley = (): Parley => useStores().parley;

/** A store sends no request before a subscription, so that a store of a discarded render has no cost. */
function storesOf(
  parley: Parley,
  options: ThreadOptions,
  initialState: NonNullable<ParleyProviderProps['initialState']> | null,
): Stores {
  const threads = new Map<string, ThreadStore>();
  const lists = new Map<string, EditableChatList>();
  const states = [initialState].flat();
  return {
    parley,
    chats(filter = null) {
      const key = JSON.stringify(filter);
      const list = lists.get(key) ?? new EditableChatList(parley, undefined, filter);
      lists.set(key, list);
      return list;
    },
    outbox: options.outbox,
    onConflict: options.onConflict,
    thread(chatId, { branch = null, initialState = null } = {}) {
      const key = JSON.stringify([chatId, branch]);
      let store = threads.get(key);
      if (store === undefined) {
        const state = [initialState, ...states].find((state) => state?.chatId === chatId && state.branch === branch);
        store = new ThreadStore(parley, chatId, {
          ...options,
          ...(branch !== null && { branch }),
          initialState: state ?? null,
        });
        threads.set(key, store);
      }
      return store;
    },
  };
}
