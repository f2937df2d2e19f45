import { ForkChat, type ForkChatInput } from '@parley/client/operations';
import { useParley } from '@parley/client/react';
import { notify } from '../design/toast.js';
import { linkTo } from '../place.js';

/** A function that copies a chat, the path to a message, or a share into a new chat and opens it. */
export function useForkOf(): (origin: Omit<ForkChatInput, 'id' | 'title'>) => Promise<void> {
  const parley = useParley();
  return async (origin) => {
    try {
      const { forkChat } = await parley.run(ForkChat, { input: origin });
      if ('chat' in forkChat) location.hash = linkTo({ chatId: forkChat.chat.id });
    } catch (reason) {
      notify({ text: (reason as Error).message, isUrgent: true });
    }
  };
}

/** A function that copies a chat, or the path to a message, into a new chat and opens it. */
export function useFork(): (chatId: string, messageId: string | null) => Promise<void> {
  const fork = useForkOf();
  return (chatId, messageId) => fork({ chatId, ...(messageId === null ? { wholeGraph: true } : { messageId }) });
}
