import { shownText } from '../../conversation/text/message-text.js';
import type { StoredMessage } from '../../conversation/model.js';
import type { Transaction } from '../connection/connection.js';
import type { Dialect } from '../dialects/dialect.js';
import { reserveIds, writeMessages, type WriteMessagesOptions } from '../writing/write-messages.js';
import type { RowStep, Table } from './chat-steps.js';
import { CopyFault } from './copy-fault.js';

const AS_LISTS: ReadonlySet<Table> = new Set(['message_files', 'branches', 'chat_events']);
/** Tables with a few small rows per chat. All others may have large rows. */
const AT_ONCE: ReadonlySet<Table> = new Set(['chat_members', 'checkpoints']);

/** Writes copied rows unchanged, and indexes messages for search. */
export async function writeStep(
  tx: Transaction,
  sql: Dialect,
  step: RowStep,
  options: WriteMessagesOptions,
): Promise<void> {
  const { table, rows } = step;
  if (table === 'messages') {
    const messages = rows.map((row) => ({ ...row, text: textOf(row) }));
    return await writeMessages(tx, sql, messages, options);
  }
  if (table === 'branches' || table === 'checkpoints') await reserveIds(tx, rows, table);
  if (AS_LISTS.has(table)) return void (await tx.run(sql.insert(table as Exclude<Table, 'chats'>, rows as never)));
  for (const some of AT_ONCE.has(table) ? [rows] : rows.map((row) => [row])) await tx.run(sql.insertRows(table, some));
}

function textOf({ id, data }: StoredMessage): string {
  try {
    return shownText(JSON.parse(data));
  } catch {
    throw new CopyFault(`the data of its message "${id}" is not JSON`);
  }
}
