/**
 * The data of messages, which may be a megabyte each. What is short comes along with its message; what is longer is counted
 * before anything of it is read, and then read in steps, so that no statement answers with more than a driver and its
 * process can take, however many messages there are.
 */
import type { Sql } from '@prisma/client/runtime/client';
import type { ContentBudget } from '../conversation/content-budget.js';
import { GoneError } from '../conversation/errors.js';
import type { Message } from '../conversation/model.js';
import type { Dialect } from './dialect.js';
import type { Indexed, MessageRow } from './row-format.js';

/** How much data one statement may answer with, in bytes: more than a thousand messages mostly have. */
const BYTES_AT_ONCE = 16 * 1024 ** 2;

/** Asks for messages whose data comes along if it has no more bytes than that. */
export type SelectMessages = (inlineBytes: number) => Sql;

export interface MessageSource {
  readonly sql: Pick<Dialect, 'rows' | 'messageData'>;
  rows<T extends object>(statement: Sql): Promise<T[]>;
  readonly content?: ContentBudget | undefined;
}

interface Data {
  id: string;
  data: string;
}

/**
 * The messages of a statement.
 * @param count how many there are at most
 * @throws GoneError when one was deleted before its data was read
 * @throws TooLargeError, OverloadedError by the budget
 */
export async function readMessages(
  { sql, rows, content }: MessageSource,
  select: SelectMessages,
  count: number,
): Promise<(Message & Indexed)[]> {
  const found = sql.rows.messages(await rows(select(Math.floor(BYTES_AT_ONCE / Math.max(count, 1)))));
  let bytes = 0;
  // By id: the same message may be in many rows.
  const longer = new Map<string, number>();
  for (const { id, data } of found) {
    if (typeof data === 'string') bytes += data.length;
    else longer.set(id, data);
  }
  for (const each of longer.values()) bytes += each;
  content?.take(bytes);

  const dataOf = new Map<string, string>();
  for (const ids of steps(longer)) {
    for (const { id, data } of await rows<Data>(sql.messageData(ids))) dataOf.set(id, data);
  }
  for (const row of found) if (typeof row.data === 'number') row.data = dataOf.get(row.id) ?? gone(row);
  return found as (Message & Indexed)[];
}

/** Ids of messages that have so much data together as one statement may answer with; of one alone, whatever it has. */
function* steps(messages: ReadonlyMap<string, number>): Generator<string[]> {
  let ids: string[] = [];
  let total = 0;
  for (const [id, bytes] of messages) {
    if (ids.length > 0 && total + bytes > BYTES_AT_ONCE) {
      yield ids;
      ids = [];
      total = 0;
    }
    ids.push(id);
    total += bytes;
  }
  if (ids.length > 0) yield ids;
}

function gone({ id }: MessageRow): never {
  throw new GoneError(`Message "${id}"`);
}
