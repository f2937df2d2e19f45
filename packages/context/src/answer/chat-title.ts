import { toUIMessages } from '../messages/decoded-path.js';
import type { UIMessage } from '../messages/ui-message.js';
import type { MessageData } from '../store/store-data.js';
import { maskedText } from './answer-error.js';
import type { AnswerContext } from './answer-options.js';

const MAX_TITLE_CHARACTERS = 60;

/**
 * Names an untitled chat. A failure is logged, and changes nothing of the answer.
 * @param path the messages to the answer, root first
 */
export async function giveTitle({ store, chatId, options }: AnswerContext, path: MessageData[]): Promise<void> {
  const { titles = false, onError } = options;
  if (titles === false) return;
  try {
    if ((await store.getChat(chatId))?.title != null) return;
    const messages = toUIMessages<UIMessage>(path);
    const title = titles === true ? firstLine(messages) : await titles(messages);
    if (title !== '') await store.updateChat(chatId, { title });
  } catch (error) {
    maskedText(error, onError);
  }
}

function firstLine(messages: readonly UIMessage[]): string {
  const text = messages.flatMap(({ parts }) => parts).find((part) => part.type === 'text')?.['text'];
  const [line = ''] = typeof text === 'string' ? text.trim().split('\n') : [];
  const characters = [...line];
  return characters.length <= MAX_TITLE_CHARACTERS
    ? line
    : `${characters.slice(0, MAX_TITLE_CHARACTERS - 1).join('')}…`;
}
