import { useSyncExternalStore } from 'react';
import type { ChatListState } from '../chats/chat-list.js';
import type { EditableChatList } from '../chats/editable-chat-list.js';
import type { ChatFilter } from '../generated/operations.js';
import { useStores } from './provider.js';

/**
 * The chat list, live: the newest change first. `create`, `rename` and `delete` are shown immediately.
 * @param filter components with equal filters share a list
 */
export function useChats(
  filter: ChatFilter | null = null,
): ChatListState & Pick<EditableChatList, 'loadMore' | 'create' | 'rename' | 'delete'> {
  const chats = useStores().chats(filter);
  const state = useSyncExternalStore(chats.subscribe, chats.getState, chats.getState);
  return {
    ...state,
    loadMore: () => chats.loadMore(),
    create: (chat) => chats.create(chat),
    rename: (id, title) => chats.rename(id, title),
    delete: (id) => chats.delete(id),
  };
}
