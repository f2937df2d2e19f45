/** Finds and deletes the chats whose retention has ended, in steps while servers run. */
import { DAY_MS } from '../../conversation/bounds.js';
import type { ConversationStore, IsDue } from '../../conversation/store.js';
import type { Row } from '../../conversation/tables.js';
import { removals, type SweepOptions } from '../../database/removals.js';
import { LegalHoldError } from './legal-hold.js';
import { isExpired, RETENTION_ACTOR, type ExpiredChat, type UserRetentions } from './retention.js';

const ROWS_PER_READ = 100;

/**
 * The chats without a legal hold whose retention has ended: first by the setting of the server, then by those of users.
 * @param now milliseconds since 1970
 */
export async function* expiredChats(retentions: UserRetentions, now: number): AsyncGenerator<ExpiredChat> {
  const { sql, read, serverDays } = retentions;
  if (serverDays !== null) yield* expiredIn(retentions, { userId: null, days: serverDays, now, from: null });
  const from = serverDays === null ? null : now - serverDays * DAY_MS;
  for (let after = ''; ;) {
    const users = await read((db) => db.rows<Row<'user_retention'>>(sql.retentions(after, ROWS_PER_READ)));
    for (const { userId, days } of users) {
      if (serverDays === null || days < serverDays) yield* expiredIn(retentions, { userId, days, now, from });
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

async function* expiredIn(
  retentions: UserRetentions,
  { userId, days, now, from }: Expiry,
): AsyncGenerator<ExpiredChat> {
  const { sql, read } = retentions;
  const before = now - days * DAY_MS;
  for (
    let after: Pick<ExpiredChat, 'id' | 'updatedAt'> | null = from === null ? null : { id: '', updatedAt: from };
    ;
  ) {
    const range = { before, userId, after };
    const chats: Omit<ExpiredChat, 'days'>[] = await read((db) => db.rows(sql.expiredChats(range, ROWS_PER_READ)));
    for (const chat of chats) {
      // The user may have changed the setting since it was read.
      if (userId !== null && (await read((db) => retentions.reads(db).ownRetentionDays(userId))) !== days) return;
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
  retentions: UserRetentions,
  store: ConversationStore,
  { signal, onFailure }: SweepOptions = {},
): AsyncGenerator<ExpiredChat> {
  const { sweepChat } = await removals();
  const startedAt = store.now();
  for await (const chat of expiredChats(retentions, startedAt)) {
    if (signal?.aborted === true) return;
    const isDue: IsDue = (now) => now.userId === chat.userId && isExpired(now, chat.days, startedAt);
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
    return (await store.remove(chatId, RETENTION_ACTOR, { isDue, isRestorable: true, signal })) !== null;
  } catch (error) {
    // The hold is newer than the list.
    if (error instanceof LegalHoldError) return false;
    throw error;
  }
}
