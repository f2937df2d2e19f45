/** Writing what a rule has noted in its change: a constant number of statements for any save that a client can ask for. */
import type { ChatChange } from '../conversation/change.js';
import type { Branch, PlacedMessage } from '../conversation/model.js';
import { indexedTerms } from '../search/terms.js';
import type { Transaction } from './connection.js';
import type { Dialect, MessageText } from './dialect.js';

/** Messages of one INSERT: all that a save can have. */
const MESSAGES_PER_INSERT = 500;
/** Characters of data of one INSERT, whose messages travel as one string: far below the longest that there can be. */
const DATA_PER_INSERT = 32 * 1024 * 1024;

/** Writes everything but the chat's own row. */
export async function writeChange(tx: Transaction, sql: Dialect, change: ChatChange): Promise<void> {
  const chatId = change.chat.id;
  for (const messages of inserts(change.messages)) {
    await tx.$executeRaw(sql.insertMessages(messages.map(({ text: _, ...row }) => row)));
    await tx.$executeRaw(sql.insertTexts(messages.map(indexedText)));
  }
  if (change.activatedBranchId !== null) {
    // First, because the index allows one active branch.
    await tx.branch.updateMany({ where: { chatId, isActive: true }, data: { isActive: false } });
  }
  const branches = [...change.branches.values()];
  const created = branches.filter((branch) => change.createdBranchIds.has(branch.id));
  if (created.length > 0) await tx.branch.createMany({ data: created.map(branchRow) });
  for (const branch of branches.filter((each) => !change.createdBranchIds.has(each.id))) {
    const { headMessageId, isActive } = branch;
    await tx.branch.update({ where: { id: branch.id }, data: { headMessageId, isActive } });
  }
  if (change.checkpoint !== null) {
    const { id, name, messageId, createdAt, seq } = change.checkpoint;
    await tx.checkpoint.upsert({
      where: { id },
      create: { id, chatId, name, messageId, createdAt, seq },
      update: { messageId, createdAt, seq },
    });
  }
  if (change.deletedCheckpointId !== null) {
    await tx.checkpoint.delete({ where: { id: change.deletedCheckpointId } });
  }
  await tx.chatEvent.createMany({
    data: change.events.map(({ payload, ...event }) => ({ ...event, payload: JSON.stringify(payload) })),
  });
}

/** Messages in the order of their seqs, cut into what goes into one INSERT. */
function* inserts(messages: readonly PlacedMessage[]): Generator<PlacedMessage[]> {
  let chunk: PlacedMessage[] = [];
  let size = 0;
  for (const message of messages) {
    if (chunk.length === MESSAGES_PER_INSERT || (chunk.length > 0 && size + message.data.length > DATA_PER_INSERT)) {
      yield chunk;
      chunk = [];
      size = 0;
    }
    chunk.push(message);
    size += message.data.length;
  }
  if (chunk.length > 0) yield chunk;
}

/** A message as search finds it. */
export function indexedText({
  id,
  chatId,
  name,
  createdAt,
  seq,
  text,
}: Pick<PlacedMessage, 'id' | 'chatId' | 'name' | 'createdAt' | 'seq' | 'text'>): MessageText {
  return { messageId: id, chatId, name, createdAt, seq, ...indexedTerms(text) };
}

function branchRow({ messageCount: _, ...row }: Branch): Omit<Branch, 'messageCount'> {
  return row;
}
