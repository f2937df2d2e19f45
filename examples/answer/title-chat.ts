import type { AnswerModel } from './model.js';
import type { ParleyServer } from './parley-server.js';
import type { Question } from './question.js';

const MAX_TITLE_LENGTH = 80;
const TITLE_TIMEOUT_MS = 60_000;

/** Names a chat after a question, unless a title was given meanwhile. */
export async function titleChat(
  server: ParleyServer,
  model: AnswerModel,
  { chatId, messageId }: Question,
): Promise<void> {
  const [question] = await server.chain(messageId, 1);
  if (question === undefined) return;
  const title = cleanTitle(await model.title(question.text, AbortSignal.timeout(TITLE_TIMEOUT_MS)));
  const chat = title === '' ? null : await server.store.getChat(chatId);
  if (chat !== null && chat.title === null) await server.store.updateChat(chatId, { title });
}

/** One line without the quotes and the reasoning that models add. */
function cleanTitle(text: string): string {
  const line = text
    .replace(/<think>.*?(<\/think>|$)/s, '')
    .trim()
    .split('\n', 1)[0];
  const plain = (line ?? '').replace(/^["'“*#\s]+|["'”*\s]+$/g, '');
  return [...plain].slice(0, MAX_TITLE_LENGTH).join('').trim();
}
