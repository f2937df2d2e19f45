/**
 * Reads message data of up to a megabyte each. Short data is read with its message; longer data is first counted
 * against the budget, then read in steps of bounded size.
 */
import type { Sql } from 'sql-template-tag';
import { BYTES_PER_MESSAGE, type ContentBudget } from '../../limits/content-budget.js';
import type { ChatScoped } from '../../conversation/chat-scoped.js';
import { DeletedError } from '../../conversation/errors.js';
import type { Message } from '../../conversation/model.js';
import type { Dialect } from '../dialects/dialect.js';
import type { Keyed } from '../dialects/row-format.js';
import { boundedPieces } from '../../system/bounded-pieces.js';

/** Bytes of a list per statement. */
const BYTES_AT_ONCE = 16 * 1024 ** 2;
/** Bytes of the data of messages per statement: rows take several times as long as a list that the database writes. */
const DATA_AT_ONCE = 4 * 1024 ** 2;

/** Concurrent statements are counted late, so each gets a part of the operation's budget. */
export function bytesAtOnce(content: ContentBudget | undefined): number {
  return content === undefined ? BYTES_AT_ONCE : Math.min(BYTES_AT_ONCE, Math.ceil(content.limit / 8));
}

/** Selects messages with data up to `inlineBytes`. */
export type SelectMessages = (inlineBytes: number) => Sql;

export interface MessageSource {
  readonly sql: Pick<Dialect, 'rows' | 'messageData'>;
  /** @param expected the maximum number of rows */
  rows<T extends object>(statement: Sql, expected?: number): Promise<T[]>;
  readonly content?: ContentBudget | undefined;
}

interface Data {
  id: string;
  data: string;
}

/**
 * The messages of a statement. Messages deleted before their data was read are left out.
 * @param count the maximum number of messages
 * @param belongTogether whether a missing message is an error
 * @throws DeletedError when a message of a complete set is missing
 * @throws TooLargeError, OverloadedError by the budget
 */
export async function readMessages(
  { sql, rows, content }: MessageSource,
  select: SelectMessages,
  count: number,
  belongTogether = false,
): Promise<(Message & Keyed)[]> {
  const atOnce = Math.min(DATA_AT_ONCE, bytesAtOnce(content));
  // Before reading, because many reads may start at the same moment.
  content?.take(BYTES_PER_MESSAGE * count);
  const found = sql.rows.messages(await rows(select(Math.floor(atOnce / Math.max(count, 1))), count));
  let bytes = 0;
  // By id: a message may be in several rows.
  const longer = new Map<string, ChatScoped & { bytes: number }>();
  for (const { chatId, id, data } of found) {
    if (typeof data === 'string') bytes += data.length;
    else longer.set(id, { chatId, id, bytes: data });
  }
  for (const each of longer.values()) bytes += each.bytes;
  content?.take(bytes);

  if (longer.size === 0) return found as (Message & Keyed)[];
  const dataOf = new Map<string, string>();
  for (const keys of boundedPieces(longer.values(), ({ bytes }) => bytes, atOnce)) {
    content?.check();
    for (const { id, data } of await rows<Data>(sql.messageData(keys), Infinity)) dataOf.set(id, data);
  }
  return found.flatMap((row) => {
    const data = typeof row.data === 'string' ? row.data : dataOf.get(row.id);
    if (data === undefined && belongTogether) throw new DeletedError(`Message "${row.id}"`);
    return data === undefined ? [] : [{ ...row, data }];
  });
}
