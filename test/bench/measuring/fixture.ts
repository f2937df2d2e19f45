/** The measured database: chats of known shapes, saved with all rules, in one file. */
import { createChat } from '../../../src/conversation/chats.js';
import type { Viewer } from '../../../src/conversation/model.js';
import { rewind } from '../../../src/conversation/branches/rewind.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import type { ConversationStore } from '../../../src/conversation/store.js';

export const VIEWER: Viewer = { userId: 'local', isAdmin: true };

/** Two paragraphs, like a typical answer. */
const TEXT = `${'A sentence of some length, as people and models write them. '.repeat(3)}\n\n${'And another. '.repeat(5)}`;

/** A word in every message, and a word in every thousandth. */
export const COMMON_WORD = 'sentence';
export const RARE_WORD = 'seldom';

/** The messages of one save: `from` counts the messages before. */
export function chainPiece(chatId: string, from: number, count: number) {
  return Array.from({ length: count }, (_, i) => ({
    id: `${chatId}-${from + i}`,
    name: (from + i) % 2 === 0 ? 'user' : 'assistant',
    content: { text: (from + i) % 1_000 === 0 ? `${TEXT}\n\nSaid ${RARE_WORD}.` : TEXT },
  }));
}

/** The maximum of messages per save. */
export const PIECE = 500;

/** A chat with one chain of messages on main. */
export async function writeChain(store: ConversationStore, chatId: string, length: number): Promise<void> {
  await createChat(store, VIEWER, { id: chatId, title: chatId });
  await extend(store, chatId, 0, length);
}

/** A chat with branches of equal length that share only their root. */
export async function writeBranches(store: ConversationStore, chatId: string, count: number, length: number) {
  await createChat(store, VIEWER, { id: chatId, title: chatId });
  await extend(store, chatId, 0, 1);
  for (let branch = 1; branch <= count; branch++) {
    if (branch > 1) await rewind(store, VIEWER, { chatId, messageId: `${chatId}-0` });
    await extend(store, chatId, branch * length + 1, length - 1);
  }
}

async function extend(store: ConversationStore, chatId: string, from: number, count: number): Promise<void> {
  for (let done = 0; done < count; done += PIECE) {
    const messages = chainPiece(chatId, from + done, Math.min(PIECE, count - done));
    await saveMessages(store, VIEWER, { chatId, messages });
  }
}
