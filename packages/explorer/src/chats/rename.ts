import { UpdateChat } from '@parley/client/operations';
import { useParley } from '@parley/client/react';
import { ask } from '../design/ask.js';
import { notify } from '../design/toast.js';
import { markRead } from './reads.js';

/** Asks for the title of a chat, and saves it. */
export function useRename(): (chatId: string, title: string | null) => Promise<void> {
  const parley = useParley();
  return async (chatId, title) => {
    const given = await ask({
      title: 'Rename chat',
      label: 'Name of the chat',
      action: 'Rename',
      value: title ?? '',
    });
    if (given === null) return;
    await parley.run(UpdateChat, { input: { chatId, title: given } }).then(
      ({ updateChat }) => 'chat' in updateChat && markRead(updateChat.chat),
      (reason: Error) => notify({ text: reason.message, isUrgent: true }),
    );
  };
}
