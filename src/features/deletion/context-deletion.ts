/** Deleting chats by the library for agents: at once. */
import { toRemovableOwner } from '@parley/context/server';
import type { OpenFeature } from '../../feature.js';
import { deleteChat } from './delete-chat.js';

/** With a server or without. */
export const contextDeletion = (): OpenFeature => ({
  contextStore: ({ store, viewer, run, isFound }) => ({
    deleteChat: (chatId, options = {}) =>
      run(async () => {
        const userId = toRemovableOwner(options);
        if (userId !== undefined && (await store.chat(chatId))?.userId !== userId) return false;
        return isFound(() => deleteChat(store, viewer, chatId, { permanently: true }));
      }),
  }),
});
