/**
 * Erases a user: deletes their chats and replaces their id elsewhere, in steps while servers keep running. A repeated
 * call continues an interrupted one.
 */
import { setTimeout as pause } from 'node:timers/promises';
import sql from 'sql-template-tag';
import type { Connection, Provider, Transaction } from '../../database/connection/connection.js';
import type { Deletion, EventPayloads } from '../../conversation/model.js';
import { ERASED_USER } from '../../conversation/access/ownership.js';
import type { TableName } from '../../conversation/tables.js';
import {
  isTableWith,
  tablesWith,
  userIdColumns,
  userIdsOf,
  type NumberedTable,
  type TablesWith,
  type UserIdColumn,
} from '../../conversation/table-rules.js';
import { LOCK_PAUSE_MS } from '../../scheduler/lock-pacing.js';
import type { Rows } from '../../database/change-hooks.js';
import type { RemovedRows } from '../../database/removals.js';
import { DELETED_OWNER, type SeqPosition } from '../../database/dialects/base/fragments.js';
import { finishRemoval, finishRemovals, removeChat } from './removal.js';
import { addRows, noRows } from './remove-rows.js';
import { deletionStatements } from './statements.js';

const CHATS_PER_LOOK = 100;
/** Rows read at once. */
const NAMES_PER_READ = 2_000;
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
const BEGINNING: SeqPosition = { chatId: '', seq: 0 };

interface Erasing extends Connection {
  readonly statements: ReturnType<typeof deletionStatements>;
}

/** The result. */
export interface Erasure {
  /** Rows deleted with the user's chats, and with chats of an earlier interrupted removal. */
  removed: RemovedRows;
  /** Records of earlier deletions that named the user as owner or actor. */
  deletedChats: number;
  /** Events in chats of other users. */
  events: number;
  /** Messages that the user saved there. */
  messages: number;
  /** Drafts there that the user started or requested to stop. */
  drafts: number;
  /** Whether SQLite's write-ahead log still holds deleted data, because a long read prevented truncation. */
  isInLog: boolean;
}

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
 * @throws RefusalError before anything is changed
 */
export async function eraseUser(
  given: Connection & Pick<Provider, 'emptyLog'>,
  userId: string,
  { now = Date.now, removed = noRows(), onRemoved }: ErasureOptions = {},
): Promise<Erasure> {
  const connection = { ...given, statements: deletionStatements(given.sql.differences) };
  const { statements } = connection;
  const lists = connection.scope.form?.lists;
  await requireErasable(connection, userId, null);
  // Hidden chats of the user become chats that are being deleted.
  await connection.write(KEY, async (tx) => {
    await tx.run(statements.lockDeletionsOf(userId));
    await requireErasable(connection, userId, tx);
    await tx.run(statements.deleteImportsOf(userId));
  });
  await finishRemovals(connection, removed);
  for (let chats = await nextChats(connection, userId); chats.length > 0;) {
    for (const { id } of chats) {
      const deletion = await eraseChat(connection, id, userId, now(), removed);
      if (deletion !== null) onRemoved?.(deletion);
    }
    chats = await nextChats(connection, userId);
  }
  await removeRowsOf(connection, userId, removed);
  const replaced = await replaceIds(connection, userId);
  // Copies members as they are now.
  if (lists !== undefined) await connection.write(KEY, () => lists.forget(userId));
  await forgetUsersOfEvents(connection, userId);
  await forgetWords(connection);
  const { deleted_chats: deletedChats = 0, chat_events: events = 0, messages = 0, drafts = 0 } = replaced;
  return { removed, deletedChats, events, messages, drafts, isInLog: !(await emptyLog(connection)) };
}

/** Called before the erasure, and again in its first transaction. */
async function requireErasable({ scope: { hooks } }: Connection, userId: string, tx: Rows | null): Promise<void> {
  for (const each of hooks) await each.mayErase?.(userId, tx);
}

function nextChats({ statements, read }: Erasing, userId: string): Promise<{ id: string }[]> {
  return read((db) => db.rows(statements.chatsOfUser(userId, CHATS_PER_LOOK)));
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

/** After the chats: what features keep of a user may depend on them. */
async function removeRowsOf(
  { statements, scope, write }: Erasing,
  userId: string,
  removed: RemovedRows,
): Promise<void> {
  for (const statement of scope.hooks.flatMap((each) => each.erase?.(userId) ?? []))
    await write(KEY, (tx) => tx.run(statement));
  for (const each of userIdColumns('remove')) {
    removed[each.table] += await write(KEY, (tx) => tx.run(statements.deleteRowsOfUser(each, userId)));
  }
}

/** @returns the number of replaced ids by table */
async function replaceIds(connection: Erasing, userId: string): Promise<Partial<Record<TableName, number>>> {
  const { statements, write } = connection;
  const replaced: Partial<Record<TableName, number>> = {};
  for (const each of userIdColumns('replace')) {
    const { table, column } = each;
    if (isTableWith(table, { isErasedById: true })) continue;
    const count = isTableWith(table, { removal: 'seq' })
      ? await replaceInSteps(connection, { table, column }, userId)
      : await write(KEY, (tx) => tx.run(statements.replaceUserId(each, userId, ERASED_USER)));
    replaced[table] = (replaced[table] ?? 0) + count;
  }
  for (const table of tablesWith({ isErasedById: true }))
    replaced[table] = await replaceById(connection, table, userId);
  return replaced;
}

/** Reads all rows of a table, and updates those of the user. */
async function replaceInSteps(
  { statements, long, write }: Erasing,
  { table, column }: UserIdColumn<NumberedTable>,
  userId: string,
): Promise<number> {
  let total = 0;
  for (let after = BEGINNING, isDone = false; !isDone;) {
    const rows = await long.rows<SeqPosition & { userId: string | null }>(
      statements.userIdsAfter(table, column, after, NAMES_PER_READ),
    );
    const own = rows.filter((row) => row.userId === userId);
    const perStep = table === 'messages' ? MESSAGES_PER_STEP : NAMES_PER_STEP;
    for (let start = 0; start < own.length; start += perStep) {
      const to = own[Math.min(start + perStep, own.length) - 1] ?? after;
      const range = { after, to };
      total += await write(KEY, (tx) =>
        tx.run(statements.replaceUserId({ table, column }, userId, ERASED_USER, range)),
      );
      after = to;
    }
    after = rows.at(-1) ?? after;
    isDone = rows.length < NAMES_PER_READ;
  }
  return total;
}

/** @returns the number of rows that named the user */
async function replaceById(
  { statements, read, write }: Erasing,
  table: TablesWith<{ isErasedById: true }>,
  userId: string,
): Promise<number> {
  let after = '';
  for (let total = 0; ;) {
    const rows = await read((db) =>
      db.rows<{ id: string }>(statements.rowsNaming(table, userId, after, NAMES_PER_STEP)),
    );
    const to = rows.at(-1)?.id;
    if (to === undefined) return total;
    const range = { afterId: after, toId: to };
    await write(KEY, async (tx) => {
      for (const [column, rule] of userIdsOf(table)) {
        const placeholder = rule === 'clear' ? DELETED_OWNER : ERASED_USER;
        await tx.run(statements.replaceUserId({ table, column }, userId, placeholder, range));
      }
    });
    total += rows.length;
    after = to;
  }
}

/** Replaces the user's id in the payloads of events. */
async function forgetUsersOfEvents({ statements, read, write }: Erasing, userId: string): Promise<void> {
  const nameOf = (id: string) => (id === userId ? ERASED_USER : id);
  let after = BEGINNING;
  for (;;) {
    const rows = await read((db) =>
      db.rows<SeqPosition & { payload: string }>(statements.eventsWithUsers(after, NAMES_PER_STEP)),
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
      await write(KEY, (tx) => tx.run(statements.updatePayload(event, JSON.stringify(renamed))));
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

async function emptyLog(connection: Pick<Provider, 'emptyLog'>): Promise<boolean> {
  for (let attempt = 1; !(await connection.emptyLog()); attempt++) {
    if (attempt === LOG_ATTEMPTS) return false;
    await pause(LOG_PAUSE_MS);
  }
  return true;
}
