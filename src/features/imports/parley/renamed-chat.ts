/**
 * A chat under derived ids, for a chat whose own ids are taken. The derivation is stable, so that a repeated import
 * finds the chat.
 */
import type { WholeChat } from '../../../conversation/whole-chat.js';
import type { StoredEvent } from '../../../conversation/model.js';
import { PAYLOAD_IDS } from './checked-values.js';
import { importedChatId, importedMessageId, parley } from '@parley/interchange/server';

export function renamedChat(whole: WholeChat): WholeChat {
  const { chat } = whole;
  const chatId = importedChatId(chat.userId, parley.name, chat.id);
  const renamed = (id: string) => importedMessageId(chatId, id);
  const renamedOrNull = (id: string | null) => (id === null ? null : renamed(id));
  return {
    ...whole,
    chat: { ...chat, id: chatId },
    branches: whole.branches.map((branch) => {
      return { ...branch, chatId, id: renamed(branch.id), headMessageId: renamedOrNull(branch.headMessageId) };
    }),
    checkpoints: whole.checkpoints.map((checkpoint) => {
      return { ...checkpoint, chatId, id: renamed(checkpoint.id), messageId: renamed(checkpoint.messageId) };
    }),
    messages: () =>
      mapped(whole.messages(), (message) => {
        const { id, parentId, jumpId } = message;
        const sources = message.sources.map(({ id: sourceId, seq }) => ({ id: renamed(sourceId), seq }));
        const ids = { id: renamed(id), parentId: renamedOrNull(parentId), jumpId: renamed(jumpId), sources };
        return { ...message, chatId, ...ids };
      }),
    events: () =>
      mapped(whole.events(), (event) => ({ ...event, chatId, payload: renamedPayload(event.payload, renamed) })),
  };
}

function renamedPayload(payload: StoredEvent['payload'], renamed: (id: string) => string): string {
  const members = Object.entries(JSON.parse(payload) as Record<string, unknown>);
  return JSON.stringify(
    Object.fromEntries(
      members.map(([key, at]) => [key, PAYLOAD_IDS.has(key) && at !== null ? renamed(at as string) : at]),
    ),
  );
}

async function* mapped<T>(pieces: AsyncIterable<readonly T[]>, map: (row: T) => T): AsyncGenerator<readonly T[]> {
  for await (const piece of pieces) yield piece.map(map);
}
