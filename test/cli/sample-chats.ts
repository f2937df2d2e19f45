/** Chats with all kinds of data, saved with all rules, and rows that the rules do not allow. */
import sql from 'sql-template-tag';
import { createChat, updateChat } from '../../src/conversation/chats.js';
import { appendToDraft, discardDraft } from '../../src/features/drafts/change-draft.js';
import { startDraft } from '../../src/features/drafts/start-draft.js';
import { createCheckpoint, deleteCheckpoint } from '../../src/conversation/branches/checkpoints.js';
import { btw, rewind } from '../../src/conversation/branches/rewind.js';
import { editMessage, saveMessages } from '../../src/conversation/saving/save.js';
import type { ConversationStore } from '../../src/conversation/store.js';
import { VIEWER, writeBranches, writeChain } from '../support/chats/large-chats.js';
import { atDatabase, changeRows } from './database-content.js';

/** Keys out of order, spaces, a number that JSON.stringify would not write, escapes: kept byte by byte. */
export const ODD_DATA =
  ' {"z":1.50, "parts" :[{"type":"text","text":"sp\\u0061ced"}],"a":"\\u0000 \\/","z":1e2,"é":"\\ud83d\\ude00"} ';

export const SAMPLE_CHATS = ['branched', 'empty', 'large', 'long', 'many branches', 'odd', 'ünïcode 🎉'];

/** A draft with chunks, one without, and one that has ended, which copies omit. */
async function writeDrafts(store: ConversationStore): Promise<void> {
  for (const id of ['written', 'begun', 'discarded']) await startDraft(store, VIEWER, { chatId: 'branched', id });
  for (let offset = 0; offset < 40; offset++) {
    const chunks = [{ type: 'text-delta', delta: `${offset} 🎉` }];
    await appendToDraft(store, VIEWER, { chatId: 'branched', id: 'written', offset, chunks });
  }
  await discardDraft(store, VIEWER, { chatId: 'branched', id: 'discarded' });
}

/** Writes the chats into a new database. */
export async function writeSampleChats(url: string): Promise<void> {
  await atDatabase(url, async ({ store }) => {
    await createChat(store, VIEWER, { id: 'empty' });
    await writeBranched(store);
    await writeUnicode(store);
    await writeLarge(store);
    await writeChain(store, 'long', 1200);
    // More than one statement can insert.
    await writeBranches(store, 'many branches', 600, 3);
    await createChat(store, VIEWER, { id: 'odd' });
    await saveMessages(store, VIEWER, { chatId: 'odd', messages: [text('odd-1', 'spaced')] });
    await writeDrafts(store);
  });
  await changeRows(url, (tx) => tx.run(sql`UPDATE "messages" SET "data" = ${ODD_DATA} WHERE "id" = 'odd-1'`));
}

const text = (id: string, content = id, name = 'user') => ({ id, name, type: 'message', content: { text: content } });

async function writeBranched(store: ConversationStore): Promise<void> {
  const chatId = 'branched';
  await createChat(store, VIEWER, {
    id: chatId,
    title: 'Of "many" branches',
    metadata: { b: 2, a: [1, { y: null, x: 1e21 }] },
  });
  await saveMessages(store, VIEWER, {
    chatId,
    messages: [text('b1', 'A walk'), text('b2', 'Running shoes', 'assistant')],
  });
  await saveMessages(store, VIEWER, {
    chatId,
    messages: [text('b3'), { ...text('b4', 'running again', 'assistant'), sourceIds: ['b1', 'b3'] }],
  });
  await editMessage(store, VIEWER, { chatId, messageId: 'b3', content: { data: { parts: deep(100) } } });
  await editMessage(store, VIEWER, { chatId, messageId: 'b1', content: { text: 'another root' } });
  await createCheckpoint(store, VIEWER, { chatId, name: 'gone', messageId: 'b1' });
  await createCheckpoint(store, VIEWER, { chatId, name: 'moved', messageId: 'b1' });
  await createCheckpoint(store, VIEWER, { chatId, name: 'kept', messageId: 'b4' });
  await createCheckpoint(store, VIEWER, { chatId, name: 'moved', messageId: 'b3' });
  await deleteCheckpoint(store, VIEWER, { chatId, name: 'gone' });
  await rewind(store, VIEWER, { chatId, messageId: 'b2', branchName: 'back' });
  await btw(store, VIEWER, { chatId, branchName: 'aside' });
  await updateChat(store, VIEWER, { id: chatId, title: 'Renamed', metadata: { c: 'new' } });
}

async function writeUnicode(store: ConversationStore): Promise<void> {
  const chatId = 'ünïcode 🎉';
  await createChat(store, VIEWER, {
    id: chatId,
    title: '東京\n"\\\u2028',
    metadata: { ['__proto__']: 'é', '🎉': "'" },
  });
  const content = {
    data: { parts: [{ type: 'text', text: '東京 café \u0001 \u{1f9d1}\u200d\u{1f680} \\u0000 \' " $1 ? %' }] },
  };
  await saveMessages(store, VIEWER, { chatId, messages: [{ ...text('ü-1'), type: 'tÿpe', content }] });
}

/** Messages of nearly the maximum size. */
async function writeLarge(store: ConversationStore): Promise<void> {
  await createChat(store, VIEWER, { id: 'large' });
  for (const id of ['large-1', 'large-2', 'large-3', 'large-4', 'large-5']) {
    const content = { data: { blob: `${id}"é`.repeat(95_000) } };
    await saveMessages(store, VIEWER, { chatId: 'large', messages: [{ ...text(id), content }] });
  }
}

function deep(levels: number): unknown {
  let value: unknown = 'the bottom';
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { inner: value };
  return value;
}
