/** A small conversation to look at: it branches, goes back, asks by the way, and has a bookmark. */
import { createCheckpoint } from '../conversation/checkpoints.js';
import { deleteChat, updateChat, upsertChat } from '../conversation/chats.js';
import type { Viewer } from '../conversation/model.js';
import { btw, rewind, switchBranch } from '../conversation/rewind.js';
import { editMessage, saveMessages } from '../conversation/save.js';
import type { ConversationStore } from '../conversation/store.js';

export const DEMO_CHAT_ID = 'demo';

/**
 * The demo is dated before anybody's own conversations, so that those come first wherever the newest does.
 * In milliseconds since 1970.
 */
export const DEMO_TIME = Date.parse('2022-01-01T12:00:00.000Z');

/** The demo's metadata until its last line is written. */
const UNFINISHED = '{"demo":"unfinished"}';

/** Whether somebody was stopped while writing the demo. */
export async function isDemoUnfinished(store: ConversationStore): Promise<boolean> {
  return (await store.chat(DEMO_CHAT_ID))?.metadata === UNFINISHED;
}

/**
 * Writes the demo for a viewer; one that was left unfinished is written anew.
 * @returns false, having written nothing, when there is a chat of its id
 */
export async function writeDemo(store: ConversationStore, viewer: Viewer): Promise<boolean> {
  const chatId = DEMO_CHAT_ID;
  const title = 'A weekend in Portugal';
  if (await isDemoUnfinished(store)) await deleteChat(store, viewer, chatId);
  const { created } = await upsertChat(store, viewer, { id: chatId, title, metadata: JSON.parse(UNFINISHED) });
  if (!created) return false;

  const say = (name: string, id: string, text: string) =>
    saveMessages(store, viewer, { chatId, messages: [{ id, name, content: { text } }] });

  await say('system', 'demo-system', 'You are a travel guide who answers in a sentence or two.');
  await say('user', 'demo-question', 'Where should we spend a weekend in Portugal?');
  await say('assistant', 'demo-answer', 'In Porto: it is small enough to walk, and the river is never far.');
  await createCheckpoint(store, viewer, { chatId, name: 'the first idea' });
  await say('user', 'demo-food', 'What do we eat there?');
  await say(
    'assistant',
    'demo-food-answer',
    'A francesinha for lunch, and grilled sardines by the water in the evening.',
  );

  // Another answer to the first question: a new branch, main-v2.
  await rewind(store, viewer, { chatId, messageId: 'demo-question' });
  await say('assistant', 'demo-other-answer', 'In Lisbon: take the old tram to Alfama and stay for the fado.');
  await say('user', 'demo-tram', 'Is the tram worth the queue?');
  await say('assistant', 'demo-tram-answer', 'Before nine in the morning, yes.');

  // The same question put differently: main-v2-v2.
  await editMessage(store, viewer, {
    chatId,
    messageId: 'demo-tram',
    content: { text: 'Is there a way up to Alfama without the tram?' },
  });
  await say(
    'assistant',
    'demo-walk-answer',
    'Walk up from the cathedral: twenty minutes, and the best views are on the way.',
  );

  // A question by the way, from main; the conversation itself goes on.
  await switchBranch(store, viewer, { chatId, name: 'main' });
  await btw(store, viewer, { chatId, branchName: 'packing' });
  await saveMessages(store, viewer, {
    chatId,
    branch: 'packing',
    messages: [
      { id: 'demo-packing', name: 'user', content: { text: 'By the way, do we need an umbrella?' } },
      { id: 'demo-packing-answer', name: 'assistant', content: { text: 'In Porto, always.' } },
    ],
  });
  await updateChat(store, viewer, { id: chatId, metadata: { demo: true } });
  return true;
}
