import { createContext, createElement, useContext, useState, type ReactNode } from 'react';
import { ChatList } from '../chats/chat-list.js';
import type { Parley } from '../connection/create-parley.js';
import { ThreadStore, type ThreadOptions } from '../store/thread-store.js';

/** The stores of the chats that are open, so that all components of a chat share one. */
export interface Stores {
  parley: Parley;
  thread(chatId: string): ThreadStore;
  chats: ChatList;
}

const Context = createContext<Stores | null>(null);

export interface ParleyProviderProps {
  /** Made once, outside of components. */
  parley: Parley;
  /** Of the stores that `useThread` opens; those of the first rendering stay. */
  thread?: ThreadOptions;
  children?: ReactNode;
}

/** Gives a client to the hooks below it. */
export function ParleyProvider({ parley, thread = {}, children }: ParleyProviderProps): ReactNode {
  const [made, make] = useState(() => storesOf(parley, thread));
  let stores = made;
  if (made.parley !== parley) {
    stores = storesOf(parley, thread);
    make(stores);
  }
  return createElement(Context.Provider, { value: stores }, children);
}

/** @throws Error outside of a ParleyProvider */
export function useStores(): Stores {
  const stores = useContext(Context);
  if (stores === null) throw new Error('There is no ParleyProvider above');
  return stores;
}

/** The client of the nearest ParleyProvider. */
export const useParley = (): Parley => useStores().parley;

/** A store asks nothing of the server before somebody subscribes: one that is made for a rendering that is thrown away costs nothing. */
function storesOf(parley: Parley, options: ThreadOptions): Stores {
  const threads = new Map<string, ThreadStore>();
  return {
    parley,
    chats: new ChatList(parley),
    thread(chatId) {
      let store = threads.get(chatId);
      if (store === undefined) {
        store = new ThreadStore(parley, chatId, options);
        threads.set(chatId, store);
      }
      return store;
    },
  };
}
