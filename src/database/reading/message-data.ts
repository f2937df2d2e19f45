/**
 * The data of messages, which may be a megabyte each. What is short comes along with its message; what is longer is counted
 * before anything of it is read, and then read in steps, so that no statement answers with more than a driver and its
 * process can take, however many messages there are.
 */
import type { Sql } from 'sql-template-tag';
import { BYTES_PER_MESSAGE, type ContentBudget } from '../../limits/content-budget.js';
import type { ChatScoped } from '../../conversation/chat-scoped.js';
import { DeletedError } from '../../conversation/errors.js';
import type { Message } from '../../conversation/model.js';
import type { Dialect } from '../dialects/dialect.js';
import type { Indexed } from './row-format.js';

/** How much data one statement may answer with, in bytes: more than a thousand messages mostly have. */
const BYTES_AT_ONCE = 16 * 1024 ** 2;

/** Many statements of an operation may be under way before the first is counted, so each has a part of what it may read. */
export function bytesAtOnce(content: ContentBudget | undefined): number {
  return content === undefined ? BYTES_AT_ONCE : Math.min(BYTES_AT_ONCE, Math.ceil(content.limit / 8));
}

/** Asks for messages whose data comes along if it has no more bytes than that. */
export type SelectMessages = (inlineBytes: number) => Sql;

export interface MessageSource {
  readonly sql: Pick<Dialect, 'rows' | 'messageData'>;
  /** @param expected how many rows it has at most */
  rows<T extends object>(statement: Sql, expected?: number): Promise<T[]>;
  readonly content?: ContentBudget | undefined;
}

interface Data {
  id: string;
  data: string;
}

/**
 * The messages of a statement. Those that were deleted before their data was read are left out.
 * @param count how many there are at most
 * @param belongTogether whether nothing may be left out of them
 * @throws DeletedError when something would have to be
 * @throws TooLargeError, OverloadedError by the budget
 */
export async function readMessages(
  { sql, rows, content }: MessageSource,
  select: SelectMessages,
  count: number,
  belongTogether = false,
): Promise<(Message & Indexed)[]> {
  const atOnce = bytesAtOnce(content);
  // Before anything is read: many may ask at the same moment.
  content?.take(BYTES_PER_MESSAGE * count);
  const found = sql.rows.messages(await rows(select(Math.floor(atOnce / Math.max(count, 1))), count));
  let bytes = 0;
  // By id: the same message may be in many rows.
  const longer = new Map<string, ChatScoped & { bytes: number }>();
  for (const { chatId, id, data } of found) {
    if (typeof data === 'string') bytes += data.length;
    else longer.set(id, { chatId, id, bytes: data });
  }
  for (const each of longer.values()) bytes += each.bytes;
  content?.take(bytes);

  if (longer.size === 0) return found as (Message & Indexed)[];
  const dataOf = new Map<string, string>();
  for (const keys of steps([...longer.values()], atOnce)) {
    content?.check();
    for (const { id, data } of await rows<Data>(sql.messageData(keys), Infinity)) dataOf.set(id, data);
  }
  return found.flatMap((row) => {
    const data = typeof row.data === 'string' ? row.data : dataOf.get(row.id);
    if (data === undefined && belongTogether) throw new DeletedError(`Message "${row.id}"`);
    return data === undefined ? [] : [{ ...row, data }];
  });
}

/** Keys of messages that have at most so much data together; or of one alone, whatever it has. */
function* steps(messages: readonly (ChatScoped & { bytes: number })[], atOnce: number): Generator<ChatScoped[]> {
  let keys: ChatScoped[] = [];
  let total = 0;
  for (const { chatId, id, bytes } of messages) {
    if (keys.length > 0 && total + bytes > atOnce) {
      yield keys;
      keys = [];
      total = 0;
    }
    keys.push({ chatId, id });
    total += bytes;
  }
  if (keys.length > 0) yield keys;
}
