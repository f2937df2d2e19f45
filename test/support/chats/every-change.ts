/** Makes every kind of change, so that tests can examine the statements and events. */
import { createChat, updateChat } from '../../../src/conversation/chats.js';
import { deleteChat } from '../../../src/features/deletion/delete-chat.js';
import {
  createCheckpoint,
  deleteCheckpoint,
  restoreCheckpoint,
} from '../../../src/conversation/branches/checkpoints.js';
import { appendToDraft, discardDraft, stopDraft } from '../../../src/features/drafts/change-draft.js';
import { finishDraft } from '../../../src/features/drafts/finish-draft.js';
import { startDraft } from '../../../src/features/drafts/start-draft.js';
import type { ConversationReads } from '../../../src/conversation/reads.js';
import { btw, rewind, switchBranch, switchToSibling } from '../../../src/conversation/branches/rewind.js';
import { editMessage, saveMessages } from '../../../src/conversation/saving/save.js';
import type { ConversationStore } from '../../../src/conversation/store.js';

/** Creates a chat, changes it in every way, and deletes it. */
export async function changeEverything(store: ConversationStore, reads: ConversationReads): Promise<void> {
  const viewer = { userId: 'u', isAdmin: true };
  const chatId = 'changed';
  const newMessage = (id: string) => ({ id, name: 'user', content: { text: id } });
  await createChat(store, viewer, { id: chatId });
  await updateChat(store, viewer, { id: chatId, title: 'x', metadata: { a: 1 } });
  await saveMessages(store, viewer, { chatId, messages: [newMessage('m1'), newMessage('m2')] });
  await editMessage(store, viewer, { chatId, messageId: 'm2', content: { text: 'x' } });
  await rewind(store, viewer, { chatId, messageId: 'm1' });
  await btw(store, viewer, { chatId });
  await switchBranch(store, viewer, { chatId, name: 'main' });
  await switchToSibling(store, viewer, { chatId, messageId: 'm2' });
  for (let n = 0; n < 2; n++) await createCheckpoint(store, viewer, { chatId, name: 'x' });
  await restoreCheckpoint(store, viewer, { chatId, name: 'x' });
  await deleteCheckpoint(store, viewer, { chatId, name: 'x' });
  for (const id of ['d1', 'd2']) await startDraft(store, viewer, { chatId, id });
  await appendToDraft(store, viewer, { chatId, id: 'd1', offset: 0, chunks: ['x'] });
  await stopDraft(store, viewer, { chatId, id: 'd1' });
  await finishDraft(store, viewer, { chatId, id: 'd1' });
  await discardDraft(store, viewer, { chatId, id: 'd2' });
  await Promise.all([reads.chats([chatId]), reads.checkpoints([{ chatId, id: 'x' }])]);
  await deleteChat(store, viewer, chatId);
}
