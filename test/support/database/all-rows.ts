/** Reads all rows of all conversation tables, in the same form from each kind of database. */
import sql, { raw, type Sql } from 'sql-template-tag';
import type { Draft, DraftPiece } from '../../../src/features/drafts/draft.js';
import type { Branch, Chat, Checkpoint, StoredEvent, StoredMessage } from '../../../src/conversation/model.js';
import { columnNames, type Row } from '../../../src/conversation/tables.js';
import type { Connection } from '../../../src/database/connection/connection.js';
import { parseDatabaseUrl } from '../../../src/database/connection/database-url.js';
import { connect } from '../../../src/database/opening/open.js';

export interface AllRows {
  /** With metadata as JSON. */
  chats: Chat[];
  messages: Omit<StoredMessage, 'parentSeq' | 'sources'>[];
  runs: Pick<StoredMessage, 'chatId' | 'seq' | 'parentSeq'>[];
  sources: Row<'message_sources'>[];
  branches: Omit<Branch, 'messageCount'>[];
  checkpoints: Checkpoint[];
  events: StoredEvent[];
  texts: (Row<'message_texts'> & { id: number })[];
  drafts: Draft[];
  pieces: (DraftPiece & { draftId: string })[];
}

/** Each table has a fixed order. */
export async function allRows({ read }: Pick<Connection, 'read'>, url: string): Promise<AllRows> {
  const draftColumns = columnNames('drafts').join(', ');
  const rows = async <T extends object>(table: string, columns: string, order: string): Promise<T[]> => {
    // Some servers return the columns of `*` in lower case.
    const statement = sql`SELECT ${raw(columns.replace(/\w+/g, '"$&"'))} FROM ${tableAt(url, table)} ORDER BY ${raw(order)}`;
    return (await read((db) => db.rows<Record<string, unknown>>(statement))).map((row) => plain(row) as T);
  };
  return {
    chats: await rows('chats', 'id, userId, title, metadata, createdAt, updatedAt, version', '"id"'),
    messages: await rows(
      'messages',
      'id, chatId, parentId, name, type, createdAt, depth, seq, siblingIndex, jumpId, preview, data',
      '"id"',
    ),
    runs: await rows('message_runs', 'chatId, seq, parentSeq', '"chatId", "seq"'),
    sources: await rows('message_sources', 'chatId, seq, position, sourceSeq', '"chatId", "seq", "position"'),
    branches: await rows('branches', 'id, chatId, name, headMessageId, isActive, createdAt, seq', '"id"'),
    checkpoints: await rows('checkpoints', 'id, chatId, name, messageId, createdAt, seq', '"id"'),
    events: await rows('chat_events', 'chatId, seq, type, actorId, payload, createdAt', '"chatId", "seq"'),
    texts: await rows('message_texts', 'id, messageId, chatId, name, createdAt, seq, length, terms', '"messageId"'),
    drafts: await rows('drafts', draftColumns, '"id"'),
    pieces: await rows('draft_chunks', 'draftId, startOffset, endOffset, chunks', '"draftId", "endOffset"'),
  };
}

/** The rows of a database that another process has open; those of a database in memory are not visible. */
export async function allRowsAt(url: string): Promise<AllRows> {
  const { connection } = await connect(url, { migrate: false });
  const rows = await allRows(connection, url);
  await connection.close();
  return rows;
}

/** The name of a table in a statement: SQL Server searches the default schema of the user. */
export function tableAt(url: string, name: string): Sql {
  const parsed = parseDatabaseUrl(url);
  return raw(parsed.provider === 'sqlserver' ? `"${parsed.schema}"."${name}"` : `"${name}"`);
}

/** Databases differ in booleans, JSON and 64-bit integers. */
function plain(row: Record<string, unknown>): Record<string, unknown> {
  const own = { ...row };
  for (const name of ['createdAt', 'updatedAt', 'startedAt', 'endedAt']) {
    if (own[name] != null) own[name] = Number(own[name]);
  }
  if ('isActive' in own) own['isActive'] = Boolean(own['isActive']);
  if (typeof own['metadata'] === 'object') own['metadata'] = JSON.stringify(own['metadata']);
  return own;
}
