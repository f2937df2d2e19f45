/** Compares the chats of two databases. */
import type { Sql } from 'sql-template-tag';
import type { Chat } from '../../conversation/model.js';
import { isTableWith, tableNames, type TablesWith } from '../../conversation/table-rules.js';
import { toChat } from '../../database/reading/rows.js';
import { readChats, type Reading } from '../../database/whole-chats/chat-state.js';
import { copyStatements } from './statements.js';

type Counted = TablesWith<{ copy: 'rows' | 'steps' | 'derived' } | { isCounted: true }>;

export const COUNTED = tableNames.filter((table): table is Counted => {
  return (
    isTableWith(table, { isCounted: true }) ||
    (isTableWith(table, { rowsOf: 'chat' }) && !isTableWith(table, { copy: 'none' }))
  );
});

/** Rows per table, except those of chats being deleted and of ended drafts. */
export type Counts = Record<(typeof COUNTED)[number], number>;

export interface Comparison {
  source: Counts;
  target: Counts;
  /** Ids of chats, unordered. Changed: in both, with different versions. */
  onlyInSource: string[];
  onlyInTarget: string[];
  changed: string[];
}

/** @param isKnown selects chats to leave out */
export async function compareDatabases(
  source: Reading,
  target: Reading,
  isKnown: (chatId: string) => boolean,
): Promise<Comparison> {
  // Counted before the chats are listed: chats that are created in the source meanwhile are then listed too.
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

/** All chats in batches, in the database's order of ids. */
export async function* allChats({ sql, read }: Reading): AsyncGenerator<Chat[]> {
  const CHATS_PER_STEP = 100;
  for (let last: string | undefined = ''; last !== undefined;) {
    const after: string = last;
    const rows = await read((db) => db.rows<Chat>(copyStatements(sql.differences).chatsAfter(after, CHATS_PER_STEP)));
    if (rows.length > 0) yield rows.map((row) => toChat(row, sql));
    last = rows.at(-1)?.id;
  }
}

function idsOf(chats: readonly Chat[]): string[] {
  return chats.map(({ id }) => id);
}

async function countRows({ sql, read }: Reading): Promise<Counts> {
  const counts = {} as Counts;
  for (const table of COUNTED) {
    const [row] = await read((db) => db.rows<{ total: number }>(countOf(sql, table)));
    counts[table] = row?.total ?? 0;
  }
  return counts;
}

function countOf(dialect: Reading['sql'], table: keyof Counts): Sql {
  const sql = copyStatements(dialect.differences);
  if (table === 'chats') return sql.countChats();
  if (table === 'drafts') return sql.countOpen(table);
  if (table === 'user_files') return dialect.countAll(table);
  return table === 'draft_chunks' ? sql.countParts('drafts') : sql.countRows(table);
}
