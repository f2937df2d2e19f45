/** Writing messages and what search finds of them. */
import type { PlacedMessage } from '../conversation/model.js';
import { indexedTerms } from '../search/terms.js';
import type { Transaction } from './connection.js';
import type { Dialect, MessageText } from './dialect.js';
import { forgetStatements } from './prisma-log.js';

/** Messages of one INSERT: all that a save can have. */
const MESSAGES_PER_INSERT = 500;
/** Characters of data of one INSERT, whose messages travel as one string: far below the longest that there can be. */
const DATA_PER_INSERT = 32 * 1024 * 1024;

/** @param messages in the order of their seqs */
export async function writeMessages(tx: Transaction, sql: Dialect, messages: readonly PlacedMessage[]): Promise<void> {
  for (const chunk of inserts(messages)) {
    await tx.$executeRaw(sql.insertMessages(chunk.map(({ text: _, ...row }) => row)));
    await writeTexts(tx, sql, chunk);
  }
}

/** What search finds of them. */
export async function writeTexts(tx: Transaction, sql: Dialect, messages: readonly FindableMessage[]): Promise<void> {
  await tx.$executeRaw(sql.insertTexts(messages.map(indexedText)));
  forgetStatements();
}

/** Cut into what goes into one INSERT. */
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

type FindableMessage = Pick<PlacedMessage, 'id' | 'chatId' | 'name' | 'createdAt' | 'seq' | 'text'>;

function indexedText({ id, chatId, name, createdAt, seq, text }: FindableMessage): MessageText {
  return { messageId: id, chatId, name, createdAt, seq, ...indexedTerms(text) };
}
