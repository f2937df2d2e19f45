/** Chats with questions, and their answers. */
import type { RemoteStore } from '@parley/context';
import type { DraftData, NewMessageData } from '@parley/context';

export function newMessage(id: string, text = id, name = 'user'): NewMessageData {
  return { id, name, content: { text } };
}

/** Saves messages at the end of a chat's active branch; the chat is created when it is missing. */
export async function ask(store: RemoteStore, chatId: string, ...messages: NewMessageData[]): Promise<void> {
  await store.upsertChat({ id: chatId, userId: 'local' });
  await store.saveMessages(chatId, messages);
}

/** The texts of a message's children. */
export async function answersTo(store: RemoteStore, chatId: string, questionId: string): Promise<string[]> {
  const { nodes } = await store.getGraph(chatId);
  const below = nodes.filter(({ parentId }) => parentId === questionId);
  const messages = await Promise.all(below.map(({ id }) => store.getMessage(id)));
  return messages.map((message) =>
    (message!.data as { parts: { text: string }[] }).parts.map(({ text }) => text).join(''),
  );
}

/** The first draft of a chat, when it has content. */
export async function growingDraft(store: RemoteStore, chatId: string): Promise<DraftData> {
  for (;;) {
    const [draft] = await store.listDrafts(chatId);
    if (draft !== undefined && draft.length > 0) return draft;
  }
}
