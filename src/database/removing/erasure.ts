/**
 * Erases a user: deletes their chats and replaces their id elsewhere, in steps while servers keep running. A repeated
 * call continues an interrupted one.
 */
import { setTimeout as pause } from 'node:timers/promises';
import sql from 'sql-template-tag';
import type { Connection, Transaction } from '../opening/connection.js';
import type { Erasure, RemovedRows } from '../../conversation/erasure.js';
import type { Deletion, EventPayloads } from '../../conversation/model.js';
import { ERASED_USER } from '../../conversation/members/ownership.js';
import { LOCK_PAUSE_MS } from '../../scheduler/lock-pacing.js';
import { DELETED_OWNER } from '../dialects/base/fragments.js';
import type { EventPosition, NamingTable } from '../dialects/base/access/users.js';
import { refuseHeldErasure, refuseHeldUser } from './legal-holds.js';
import { finishRemoval, finishRemovals, removeChat } from './removal.js';
import { addRows, noRows } from './remove-rows.js';

const CHATS_PER_LOOK = 100;
/** Rows updated per transaction. */
const NAMES_PER_STEP = 200;
/** Fewer messages, because SQLite rewrites them with their data. */
const MESSAGES_PER_STEP = 50;
/** Pages of a full-text index per transaction. */
const PAGES_PER_STEP = 64;
/** Attempts to truncate SQLite's log, LOG_PAUSE_MS apart. */
const LOG_ATTEMPTS = 40;
const LOG_PAUSE_MS = 100;
/** The write-queue key of these steps. */
const KEY = 'erasure';

export interface ErasureOptions {
  /** Milliseconds since 1970: when the user's chats are deleted. */
  now?: () => number;
  /** Updated as the erasure proceeds. */
  removed?: RemovedRows;
  /** Called after a chat is deleted, with the seq of its deletion event. */
  onRemoved?: (end: Pick<Deletion, 'chatId' | 'seq'>) => void;
}

/**
 * Erases a user. Revoke the user's access first, or new data may appear meanwhile.
 * @throws LegalHoldError when a hold is on the user, on a chat of the user, or on a chat in which the user acted or is a member
 */
export async function eraseUser(
  connection: Connection,
  userId: string,
  { now = Date.now, removed = noRows(), onRemoved }: ErasureOptions = {},
): Promise<Erasure> {
  const { userChats } = connection;
  await refuseHeldErasure(connection, userId);
  // Hidden chats of the user become chats that are being deleted.
  await connection.write(KEY, async (tx) => {
    await tx.run(connection.sql.lockDeletionsOf(userId));
    await refuseHeldUser(tx, connection.sql, userId);
    await tx.run(connection.sql.deleteImportsOf(userId));
  });
  await finishRemovals(connection, removed);
  for (let chats = await nextChats(connection, userId); chats.length > 0;) {
    for (const { id } of chats) {
      const deletion = await eraseChat(connection, id, userId, now(), removed);
      if (deletion !== null) onRemoved?.(deletion);
    }
    chats = await nextChats(connection, userId);
  }
  removed.access_tokens += await connection.write(KEY, (tx) => tx.run(connection.sql.deleteAccessTokensOf(userId)));
  removed.chat_members += await forgetMemberships(connection, userId);
  if (userChats !== undefined) await connection.write(KEY, () => userChats.forget(userId));
  removed.user_files += await forgetFiles(connection, userId);
  removed.monthly_usage += await connection.write(KEY, (tx) => tx.run(connection.sql.deleteMonthlyUsageOf(userId)));
  removed.user_retention += await connection.write(KEY, async (tx) => {
    await tx.run(connection.sql.renameInHolds(userId, ERASED_USER));
    return tx.run(connection.sql.deleteRetentionOf(userId));
  });
  removed.user_storage += await connection.write(KEY, (tx) => tx.run(connection.sql.deleteStorageQuotaOf(userId)));
  const deletedChats = await forgetIn(connection, 'deleted_chats', userId, DELETED_OWNER);
  await forgetIn(connection, 'webhook_deliveries', userId, ERASED_USER);
  const { events, messages } = await forgetActor(connection, userId);
  const drafts = await forgetWriter(connection, userId);
  await forgetUsersOfEvents(connection, userId);
  await forgetWords(connection);
  return { removed, deletedChats, events, messages, drafts, isInLog: !(await emptyLog(connection)) };
}

function nextChats({ sql, read }: Connection, userId: string): Promise<{ id: string }[]> {
  return read((db) => db.rows(sql.chatsOfUser(userId, CHATS_PER_LOOK)));
}

/**
 * The deletion is kept without a name, so that subscribers receive the end of the chat and can distinguish a later chat
 * with the same id.
 */
async function eraseChat(
  connection: Connection,
  chatId: string,
  userId: string,
  createdAt: number,
  removed: RemovedRows,
): Promise<Deletion | null> {
  const note = { userId: DELETED_OWNER, actorId: ERASED_USER, createdAt };
  const removal = await removeChat(connection, chatId, (chat) => (chat.userId === userId ? note : null));
  if (removal === null) return null;
  addRows(removed, removal.rows);
  if (!removal.isDone) await finishRemoval(connection, chatId, removed);
  return removal.deletion;
}

/** @returns the number of chats of others that the user was a member of */
function forgetMemberships({ sql, write }: Connection, userId: string): Promise<number> {
  return write(KEY, async (tx) => {
    await tx.run(sql.renameInMembers(userId, ERASED_USER));
    return tx.run(sql.deleteMembershipsOf(userId));
  });
}

/** After the chats: messages that refer to a file keep it. */
function forgetFiles({ sql, write }: Connection, userId: string): Promise<number> {
  return write(KEY, async (tx) => {
    await tx.run(sql.abandonFilesOfUser(userId));
    return tx.run(sql.deleteFilesOfUser(userId));
  });
}

/**
 * @param owner replaces the user as owner
 * @returns the number of rows that named the user as owner or actor
 */
async function forgetIn(
  { sql, read, write }: Connection,
  table: NamingTable,
  userId: string,
  owner: string,
): Promise<number> {
  let after = '';
  for (let total = 0; ;) {
    const rows = await read((db) => db.rows<{ id: string }>(sql.rowsNaming(table, userId, after, NAMES_PER_STEP)));
    const to = rows.at(-1)?.id;
    if (to === undefined) return total;
    const range = { after, to };
    await write(KEY, async (tx) => {
      await tx.run(sql.renameInRows(table, 'userId', userId, owner, range));
      await tx.run(sql.renameInRows(table, 'actorId', userId, ERASED_USER, range));
    });
    total += rows.length;
    after = to;
  }
}

/**
 * Authors of messages and branches have events in the chat. Both are updated before events, so that an interrupted erasure
 * finds the chat again.
 * @returns the number of updated rows in chats of others
 */
async function forgetActor(connection: Connection, actorId: string): Promise<Pick<Erasure, 'events' | 'messages'>> {
  const { sql, read, write } = connection;
  let after: EventPosition = { chatId: '', seq: 0 };
  for (let events = 0, messages = 0; ;) {
    const rows = await read((db) => db.rows<EventPosition>(sql.eventsBy(actorId, after, NAMES_PER_STEP)));
    const to = rows.at(-1);
    if (to === undefined) return { events, messages };
    const chatIds = new Set(rows.map(({ chatId }) => chatId));
    // The chat of the last step is complete.
    chatIds.delete(after.chatId);
    for (const chatId of chatIds) {
      messages += await forgetAuthor(connection, actorId, chatId);
      await write(KEY, (tx) => tx.run(sql.renameInBranches(chatId, actorId, ERASED_USER)));
    }
    const range = { after, to };
    events += await write(KEY, (tx) => tx.run(sql.renameInEvents(actorId, ERASED_USER, range)));
    after = to;
  }
}

async function forgetAuthor({ sql, read, write }: Connection, userId: string, chatId: string): Promise<number> {
  let after = 0;
  for (let total = 0; ;) {
    const rows = await read((db) => db.rows<{ seq: number }>(sql.messagesBy(userId, chatId, after, MESSAGES_PER_STEP)));
    const lastSeq = rows.at(-1)?.seq;
    if (lastSeq === undefined) return total;
    const range = { chatId, firstSeq: after + 1, lastSeq };
    total += await write(KEY, (tx) => tx.run(sql.renameInMessages(userId, ERASED_USER, range)));
    after = lastSeq;
  }
}

/**
 * A chat has few drafts, and ended ones are soon deleted.
 * @returns the number of updated values
 */
function forgetWriter({ sql, write }: Connection, userId: string): Promise<number> {
  return write(KEY, async (tx) => {
    const started = await tx.run(sql.renameInDrafts('startedBy', userId, ERASED_USER));
    return started + (await tx.run(sql.renameInDrafts('stoppedBy', userId, ERASED_USER)));
  });
}

/** Replaces the user's id in the payloads of events. */
async function forgetUsersOfEvents({ sql, read, write }: Connection, userId: string): Promise<void> {
  const nameOf = (id: string) => (id === userId ? ERASED_USER : id);
  let after: EventPosition = { chatId: '', seq: 0 };
  for (;;) {
    const rows = await read((db) =>
      db.rows<EventPosition & { payload: string }>(sql.eventsWithUsers(after, NAMES_PER_STEP)),
    );
    const to = rows.at(-1);
    if (to === undefined) return;
    for (const { payload, ...event } of rows) {
      const named = JSON.parse(payload) as EventPayloads['ChatTransferred'] | EventPayloads['MemberChanged'];
      const renamed =
        'role' in named
          ? { ...named, userId: nameOf(named.userId) }
          : { previousUserId: nameOf(named.previousUserId), userId: nameOf(named.userId) };
      if (JSON.stringify(renamed) === payload) continue;
      await write(KEY, (tx) => tx.run(sql.updatePayload(event, JSON.stringify(renamed))));
    }
    after = to;
  }
}

/** Purges deleted words, and on SQLite their owners, from the full-text index. */
async function forgetWords({ sql: { tidySearch }, write }: Connection): Promise<void> {
  if (tidySearch === null) return;
  for (let pages = -PAGES_PER_STEP, isDone = false; !isDone; pages = PAGES_PER_STEP) {
    isDone = await write(KEY, async (tx) => {
      const before = await changesOf(tx);
      await tx.run(tidySearch(pages));
      // The statement itself counts as one change.
      return (await changesOf(tx)) - before < 2;
    });
    await pause(LOCK_PAUSE_MS);
  }
}

async function changesOf(tx: Transaction): Promise<number> {
  const [row] = await tx.rows<{ n: number }>(sql`SELECT total_changes() AS n`);
  return row?.n ?? 0;
}

async function emptyLog(connection: Connection): Promise<boolean> {
  if (connection.emptyLog === undefined) return true;
  for (let attempt = 1; !(await connection.emptyLog()); attempt++) {
    if (attempt === LOG_ATTEMPTS) return false;
    await pause(LOG_PAUSE_MS);
  }
  return true;
}
