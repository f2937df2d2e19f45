/** Finds and deletes the chats whose retention has ended, in steps while servers run. */
import { LegalHoldError } from '../../conversation/errors.js';
import { DAY_MS } from '../../conversation/bounds.js';
import { isExpired, RETENTION_ACTOR, type ExpiredChat } from '../../conversation/policies/retention.js';
import type { ConversationStore, IsDue } from '../../conversation/store.js';
import type { Row } from '../../conversation/tables.js';
import type { Connection } from '../opening/connection.js';
import { sweepChat, type SweepOptions } from './sweep-chat.js';

/** Chats or users per read. */
const ROWS_PER_READ = 100;

export interface RetentionOptions {
  /** Milliseconds since 1970. */
  now: number;
  /** The setting of the server; null without one. */
  serverDays: number | null;
}

/** The chats without a legal hold whose retention has ended: first by the setting of the server, then by those of users. */
export async function* expiredChats(
  connection: Connection,
  { now, serverDays }: RetentionOptions,
): AsyncGenerator<ExpiredChat> {
  const { sql, read } = connection;
  if (serverDays !== null) yield* expiredIn(connection, { userId: null, days: serverDays, now, from: null });
  const from = serverDays === null ? null : now - serverDays * DAY_MS;
  for (let after = ''; ;) {
    const users = await read((db) => db.rows<Row<'user_retention'>>(sql.retentions(after, ROWS_PER_READ)));
    for (const { userId, days } of users) {
      if (serverDays === null || days < serverDays) yield* expiredIn(connection, { userId, days, now, from });
    }
    const last = users.at(-1);
    if (last === undefined || users.length < ROWS_PER_READ) return;
    after = last.userId;
  }
}

interface Expiry {
  /** Null for all users. */
  userId: string | null;
  days: number;
  now: number;
  /** The time of the last change from which chats are read: older ones are in another list. */
  from: number | null;
}

async function* expiredIn({ sql, read }: Connection, { userId, days, now, from }: Expiry): AsyncGenerator<ExpiredChat> {
  const before = now - days * DAY_MS;
  /** Whether a user has not changed the setting since it was read. */
  const isSetting = async (own: Row<'user_retention'>): Promise<boolean> => {
    const [row] = await read((db) => db.rows<{ days: number }>(sql.retentionOf(own.userId)));
    return row?.days === own.days;
  };
  for (
    let after: Pick<ExpiredChat, 'id' | 'updatedAt'> | null = from === null ? null : { id: '', updatedAt: from };
    ;
  ) {
    const range = { before, userId, after };
    const chats: Omit<ExpiredChat, 'days'>[] = await read((db) => db.rows(sql.expiredChats(range, ROWS_PER_READ)));
    for (const chat of chats) {
      if (userId !== null && !(await isSetting({ userId, days }))) return;
      yield { ...chat, days };
    }
    after = chats.at(-1) ?? after;
    if (chats.length < ROWS_PER_READ) return;
  }
}

/**
 * Deletes the chats whose retention has ended, as deleteChat does.
 * @returns the deleted chats, one by one
 */
export async function* removeExpired(
  connection: Connection,
  store: ConversationStore,
  { signal, onFailure }: SweepOptions = {},
): AsyncGenerator<ExpiredChat> {
  const options = { now: store.now(), serverDays: store.retentionDays };
  for await (const chat of expiredChats(connection, options)) {
    if (signal?.aborted === true) return;
    const isDue: IsDue = (now) => now.userId === chat.userId && isExpired(now, chat.days, options.now);
    const isRemoved = await sweepChat(chat.id, { onFailure }, () => remove(store, chat.id, isDue, signal));
    if (isRemoved === true) yield chat;
  }
}

async function remove(
  store: ConversationStore,
  chatId: string,
  isDue: IsDue,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    if (store.recoveryMs === 0) return await store.remove(chatId, RETENTION_ACTOR, { isDue, signal });
    return (await store.hide(chatId, RETENTION_ACTOR, isDue)) !== null;
  } catch (error) {
    // The hold is newer than the list.
    if (error instanceof LegalHoldError) return false;
    throw error;
  }
}
