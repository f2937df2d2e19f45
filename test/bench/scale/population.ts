/** Users, chats and messages as a grown installation has them: a few are large, most are small. */
import { createChat } from '../../../src/conversation/chats.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import type { ConversationStore } from '../../../src/conversation/store.js';
import { chainPiece } from '../measuring/fixture.js';

export const USERS = 10_000;
const CHATS = 20_000;
const MOST_MESSAGES = 500;
const WRITERS = 8;

/** The chats of each user. Chat n of user m has the id `u<m>-<n>`; the lower, the busier. */
export interface Population {
  chatsOf: number[];
  messages: number;
}

/** The user of rank r has a share of the chats, and the chat of rank r a share of the messages, in proportion to 1/r. */
export async function populate(store: ConversationStore): Promise<Population> {
  const shared = CHATS - USERS;
  const chatsOf = Array.from({ length: USERS }, (_, n) => 1 + Math.round((shared * weight(n)) / totalWeight(USERS)));
  let messages = 0;
  const waiting = chatsOf.flatMap((count, user) => Array.from({ length: count }, (_, n) => ({ user, n }))).entries();
  const write = async () => {
    for (const [rank, { user, n }] of waiting) {
      const count = Math.max(4, Math.round((MOST_MESSAGES * 40) / (rank + 40)));
      messages += count;
      const viewer = { userId: `u${user}`, isAdmin: false };
      const chatId = `u${user}-${n}`;
      await createChat(store, viewer, { id: chatId, title: `Chat ${n}` });
      await saveMessages(store, viewer, { chatId, messages: chainPiece(chatId, 0, count) });
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  return { chatsOf, messages };
}

/** A rank below `count`, drawn by Zipf's law. @param random from 0 to 1 */
export function rankOf(count: number, random: number): number {
  // The sum of 1/r to n grows like ln(n), so its inverse grows like exp.
  return Math.min(count - 1, Math.floor((count + 1) ** random) - 1);
}

function weight(rank: number): number {
  return 1 / (rank + 1);
}

function totalWeight(count: number): number {
  let total = 0;
  for (let rank = 0; rank < count; rank++) total += weight(rank);
  return total;
}

/** A sequence of numbers from 0 to 1 that is the same in every run. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    // The constants of Numerical Recipes.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
