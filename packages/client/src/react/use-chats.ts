import { useSyncExternalStore } from 'react';
import type { ChatList, ChatListState } from '../chats/chat-list.js';
import { useStores } from './provider.js';

/** The list of chats, live: the one with the newest change first. */
export function useChats(): ChatListState & Pick<ChatList, 'loadMore'> {
  const { chats } = useStores();
  const state = useSyncExternalStore(chats.subscribe, chats.getState, chats.getState);
  return { ...state, loadMore: () => chats.loadMore() };
}
