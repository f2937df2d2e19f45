/** What the parts of the reads read with: statements, counted by the operation's budget. */
import type { Sql } from 'sql-template-tag';
import { MAX_METADATA_BYTES } from '../../conversation/bounds.js';
import type { Chat, Message } from '../../conversation/model.js';
import type { Dialect } from '../dialects/dialect.js';
import type { Connection } from '../opening/connection.js';
import { bytesAtOnce, readMessages, type SelectMessages } from './message-data.js';
import type { Indexed } from './row-format.js';
import { toChat, type ChatRow } from './rows.js';

/** What the parts read with. */
export interface Reader {
  readonly sql: Dialect;
  rows<T extends object>(statement: Sql): Promise<T[]>;
  chats(statement: Sql): Promise<Chat[]>;
  /** See readMessages. */
  messages(select: SelectMessages, count: number, belongTogether?: boolean): Promise<(Message & Indexed)[]>;
  /** The chat of a row, whose metadata counts. */
  chat(row: ChatRow): Chat;
  /** Counts bytes of what is made of rows. */
  take(bytes: number): void;
  /** How many chats to read with one statement: each may have as much metadata as there may be. */
  readonly chatsAtOnce: number;
}

export function createReader({ sql, read, content }: Pick<Connection, 'sql' | 'read' | 'content'>): Reader {
  const rows = <T extends object>(statement: Sql) => read((db) => db.rows<T>(statement));
  const chat = (row: ChatRow) => {
    content?.take(row.metadata.length);
    return toChat(row, sql);
  };
  return {
    sql,
    rows,
    chat,
    chats: async (statement) => (await rows<ChatRow>(statement)).map(chat),
    messages: (...request) => readMessages({ sql, rows, content }, ...request),
    chatsAtOnce: content === undefined ? Infinity : Math.ceil(bytesAtOnce(content) / MAX_METADATA_BYTES),
    take: (bytes) => content?.take(bytes),
  };
}
