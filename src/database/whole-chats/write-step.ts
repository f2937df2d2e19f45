import type { Sql } from 'sql-template-tag';
import { shownText } from '../../conversation/text/message-text.js';
import type { StoredMessage } from '../../conversation/model.js';
import type { CopiedTable, PartedTable, PartTable } from '../../conversation/table-rules.js';
import type { Row } from '../../conversation/tables.js';
import type { Transaction } from '../connection/connection.js';
import type { Dialect } from '../dialects/dialect.js';
import { reserveIds, writeMessages, type WriteMessagesOptions } from '../writing/write-messages.js';
import type { Rows, RowStep, Table } from './chat-steps.js';
import { CopyFault } from './copy-fault.js';

type Statements<T extends Table> = (sql: Dialect, rows: readonly Rows[T][]) => Sql[];

/** Their rows are inserted one by one. */
type PlainTable = CopiedTable | PartedTable | PartTable;

const STATEMENTS: { readonly [T in Exclude<Table, 'messages' | PlainTable>]: Statements<T> } & {
  readonly [T in PlainTable]?: undefined;
} = {
  chats: (sql, rows) => rows.map((chat) => sql.insertChat(chat)),
  chat_members: (sql, rows) => [sql.insertMembers(rows)],
  message_files: (sql, rows) => [sql.copyMessageFiles(rows)],
  branches: (sql, rows) => [sql.insertBranches(rows)],
  checkpoints: (sql, rows) => [sql.insertCheckpoints(rows)],
  chat_events: (sql, rows) => [sql.insertEvents(rows)],
};

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
  const statementsOf = STATEMENTS[table] as Statements<Table> | undefined;
  const inserts = () => (rows as Row<PlainTable>[]).map((row) => sql.insertRowsOf(table as PlainTable, [row]));
  for (const statement of statementsOf?.(sql, rows) ?? inserts()) await tx.run(statement);
}

function textOf({ id, data }: StoredMessage): string {
  try {
    return shownText(JSON.parse(data));
  } catch {
    throw new CopyFault(`the data of its message "${id}" is not JSON`);
  }
}
