/** Executes the statements of all reads, counted by the operation's budget. */
import type { Sql } from 'sql-template-tag';
import { BYTES_PER_MESSAGE, type ContentBudget } from '../../limits/content-budget.js';
import { MAX_METADATA_BYTES } from '../../conversation/bounds.js';
import type { Chat, Message } from '../../conversation/model.js';
import type { Dialect, JsonStatements } from '../dialects/dialect.js';
import { bytesOf, type Bytes, type JsonList, type LeanRow } from '../../conversation/json-lists.js';
import type { Caller } from '../../scheduler/fair-queue.js';
import type { Connection, Scope } from '../connection/connection.js';
import { bytesAtOnce, readMessages, type SelectMessages } from './message-data.js';
import type { Keyed } from '../dialects/row-format.js';
import { toChat } from './rows.js';

/** Statement execution for reads. */
export interface Reader {
  readonly sql: Dialect;
  /** @param expected approximate number of rows; many rows are read in a worker (see LongReads) */
  rows<T extends object>(statement: Sql, expected?: number): Promise<T[]>;
  /**
   * Up to `atMost` rows of a list of unknown length.
   * @param select the first `limit` rows, in any order
   */
  list<T extends object>(select: (limit: number) => Sql, atMost: number): Promise<T[]>;
  /**
   * A list as JSON: see JsonList.
   * @param length the number of its messages
   */
  json(statement: (json: JsonStatements, maxBytes: number) => Sql | null, length: number): Promise<JsonList>;
  chats(statement: Sql): Promise<Chat[]>;
  /** See readMessages. */
  messages(select: SelectMessages, count: number, belongTogether?: boolean): Promise<(Message & Keyed)[]>;
  /** Counts a chat's metadata. */
  chat(row: Chat): Chat;
  /** Counts bytes of values made from rows. */
  take(bytes: number): void;
  readonly content: ContentBudget | undefined;
  readonly caller: Caller | undefined;
  readonly warn: Scope['warn'];
  /** Chats per statement, as each may have metadata of the maximum size. */
  readonly chatsAtOnce: number;
}

/** Longer lists take about 5 ms and are read in a worker: the transfer is then a small part. */
const WORKER_THRESHOLD_ROWS = 1_500;

export function createReader({
  sql,
  read,
  long,
  scope: { content, caller, warn },
}: Pick<Connection, 'sql' | 'read' | 'long' | 'scope'>): Reader {
  const rows: Reader['rows'] = <T extends object>(statement: Sql, expected = 0) =>
    expected > WORKER_THRESHOLD_ROWS ? long.rows<T>(statement) : read((db) => db.rows<T>(statement));
  const bytes = async (statement: Sql, length: number): Promise<Bytes | null> => {
    if (length > WORKER_THRESHOLD_ROWS) return long.bytes(statement);
    const [row] = await rows<{ json: Uint8Array | null }>(statement);
    return row?.json ? bytesOf(row.json) : null;
  };
  const lean = (found: (LeanRow & { n: number })[], length: number): JsonList => {
    if (found.length < length) return null;
    const data = found.reduce((sum, row) => sum + (row.data?.length ?? 0), 0);
    content?.take(BYTES_PER_MESSAGE * length + data);
    return found.sort((a, b) => a.n - b.n);
  };
  const chat = (row: Chat) => {
    content?.take(row.metadata.length + (row.usage?.length ?? 0));
    return toChat(row, sql);
  };
  return {
    sql,
    rows,
    chat,
    // A short first read shows whether the list is long; usually it is complete.
    list: async <T extends object>(select: (limit: number) => Sql, atMost: number) => {
      const first = Math.min(WORKER_THRESHOLD_ROWS + 1, atMost);
      const found = await rows<T>(select(first));
      const isComplete = found.length < first || first === atMost;
      // In some forms of a schema, the limit is that of each chat.
      return (isComplete ? found : await rows<T>(select(atMost), Infinity)).slice(0, atMost);
    },
    json: async (statement, length) => {
      if (sql.json === null) return null;
      const listed = statement(sql.json, bytesAtOnce(content));
      if (listed === null) return null;
      if (sql.json.answers === 'rows') return lean(await rows<LeanRow & { n: number }>(listed, length), length);
      const json = await bytes(listed, length);
      try {
        // Counted only here: null is read and counted otherwise.
        if (json !== null) content?.take(BYTES_PER_MESSAGE * length + json.bytes.length);
      } catch (error) {
        json?.release();
        throw error;
      }
      return json;
    },
    chats: async (statement) => (await rows<Chat>(statement)).map(chat),
    messages: (...request) => readMessages({ sql, rows, content }, ...request),
    chatsAtOnce: content === undefined ? Infinity : Math.ceil(bytesAtOnce(content) / MAX_METADATA_BYTES),
    take: (bytes) => content?.take(bytes),
    content,
    caller,
    warn,
  };
}
