/** What two databases hold, side by side. */
import type { Chat } from '../../conversation/model.js';
import { NOBODY } from '../dialects/dialect.js';
import { allChats, readChats, type Reading } from './chat-state.js';

export const COUNTED = ['chats', 'messages', 'branches', 'checkpoints', 'chat_events', 'message_texts'] as const;

/** How many rows each table has, without those of chats that are being removed. */
export type Counts = Record<(typeof COUNTED)[number], number>;

export interface Comparison {
  source: Counts;
  target: Counts;
  /** The ids of chats, in no promised order. Changed: there in both, in another version. */
  onlyInSource: string[];
  onlyInTarget: string[];
  changed: string[];
}

/** @param isKnown which chats to leave out */
export async function compareDatabases(
  source: Reading,
  target: Reading,
  isKnown: (chatId: string) => boolean,
): Promise<Comparison> {
  // Before the chats are looked at: whatever comes to the source meanwhile is then found there too.
  const counts = { source: await countRows(source), target: await countRows(target) };
  const onlyInSource: string[] = [];
  const onlyInTarget: string[] = [];
  const changed: string[] = [];
  for await (const chats of allChats(source)) {
    const there = new Map((await readChats(target, idsOf(chats))).map((chat) => [chat.id, chat]));
    for (const chat of chats.filter(({ id }) => !isKnown(id))) {
      const twin = there.get(chat.id);
      if (twin === undefined) onlyInSource.push(chat.id);
      else if (chat.version !== twin.version || chat.createdAt !== twin.createdAt) changed.push(chat.id);
    }
  }
  for await (const chats of allChats(target)) {
    const there = new Set((await readChats(source, idsOf(chats))).map((chat) => chat.id));
    onlyInTarget.push(...idsOf(chats).filter((id) => !there.has(id)));
  }
  return { ...counts, onlyInSource, onlyInTarget, changed };
}

function idsOf(chats: readonly Chat[]): string[] {
  return chats.map(({ id }) => id);
}

async function countRows({ read }: Reading): Promise<Counts> {
  return read(async (client) => {
    const removed = await client.chat.findMany({ where: { userId: NOBODY }, select: { id: true } });
    const where = removed.length === 0 ? {} : { chatId: { notIn: removed.map(({ id }) => id) } };
    return {
      chats: await client.chat.count({ where: { userId: { not: NOBODY } } }),
      messages: await client.message.count({ where }),
      branches: await client.branch.count({ where }),
      checkpoints: await client.checkpoint.count({ where }),
      chat_events: await client.chatEvent.count({ where }),
      message_texts: await client.messageText.count({ where }),
    };
  });
}
