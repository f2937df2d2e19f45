/**
 * The state of a chat at one moment, readable while the chat changes. Messages and events are append-only, so a maximum
 * seq fixes them; the other rows are few and held in memory.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Branch, Chat, Checkpoint } from '../../conversation/model.js';
import { MAX_LIST_LENGTH } from '../../conversation/paging.js';
import type { Row } from '../../conversation/tables.js';
import type { Connection, Queryable } from '../connection/connection.js';
import { toBranch, toChat, toCheckpoint, type BranchRow, type EventRow } from '../reading/rows.js';
import { CopyFault } from './copy-fault.js';

/** The source of rows: a database, or a transaction that reads its own writes. */
export interface Reading {
  readonly sql: Connection['sql'];
  read<T>(query: (db: Queryable) => Promise<T>): Promise<T>;
}

export interface ChatState {
  /** Its version is the seq of the newest event. */
  readonly chat: Chat;
  /** 0 without messages. */
  readonly lastMessageSeq: number;
  /** Ordered by seq, as are the checkpoints. */
  readonly branches: readonly Branch[];
  readonly checkpoints: readonly Checkpoint[];
  /** The open ones, which may grow meanwhile. */
  readonly drafts: readonly Row<'drafts'>[];
}

/** Attempts to read a consistent state before the chat counts as changing too fast. */
const MAX_ATTEMPTS = 100;

/** Null for an unknown chat. */
export async function readState(from: Reading, chatId: string): Promise<ChatState | null> {
  let chat = await readChat(from, chatId);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (chat === null) return null;
    const { sql } = from;
    const [counts, branches, checkpoints, drafts] = await from.read(async (db) => [
      await db.rows<{ total: number }>(sql.messageCounts([chatId])),
      await db.rows<BranchRow>(
        sql.listed('branches', [{ chatId, above: 0, below: MAX_LIST_LENGTH }], 'ASC', MAX_LIST_LENGTH),
      ),
      await db.rows<Checkpoint>(sql.checkpointsOf(chatId)),
      await db.rows<Row<'drafts'>>(sql.openRows('drafts', [chatId])),
    ]);
    // Every change increases the version.
    const now = await readChat(from, chatId);
    if (isDeepStrictEqual(chat, now)) {
      return {
        chat,
        lastMessageSeq: counts[0]?.total ?? 0,
        branches: branches.map(toBranch).sort((one, other) => one.seq - other.seq),
        checkpoints: checkpoints.map(toCheckpoint),
        drafts,
      };
    }
    chat = now;
  }
  throw new CopyFault('it is changed faster than it can be read');
}

/** Whether the chat still exists and is not a later one with the same id. */
export async function isThere(from: Reading, { chat, branches: [branch] }: ChatState): Promise<boolean> {
  const now = await readChat(from, chat.id);
  if (now?.createdAt !== chat.createdAt || branch === undefined) return false;
  // Two chats share no branch. Deleted branches are in the log.
  const range = { chatId: chat.id, firstSeq: branch.seq, lastSeq: branch.seq };
  const [event] = await from.read((db) => db.rows<EventRow>(from.sql.events([range])));
  const { branchId } = JSON.parse(event?.payload ?? '{}') as { branchId?: string };
  return branchId === branch.id;
}

async function readChat(from: Reading, id: string): Promise<Chat | null> {
  const [chat] = await readChats(from, [id]);
  return chat ?? null;
}

/** The existing ones, in any order. Without usage, which each database computes: see fill-digests.ts. */
export async function readChats({ sql, read }: Reading, ids: readonly string[]): Promise<Chat[]> {
  const rows = await read((db) => db.rows<Chat>(sql.chatsById(ids)));
  return rows.map((row) => ({ ...toChat(row, sql), usage: null }));
}
