/** Chats as they are taken away and brought back, on the rows that a copy reads and writes. */
import {
  AccessEndedError,
  type Adoption,
  type Archive,
  type StoredChat,
  type WholeChat,
} from '../../conversation/archive.js';
import type { Chat } from '../../conversation/model.js';
import type { ChatPosition } from '../../conversation/reads.js';
import type { Caller } from '../../limits/fair-queue.js';
import type { Connection, Transaction } from '../opening/connection.js';
import type { Dialect } from '../dialects/dialect.js';
import { toChat, type ChatRow, type LogStateRow } from '../reading/rows.js';
import { isThere, readState, type ChatState, type Reading } from './chat-state.js';
import { eventsOf, messagesOf, slices, type Rows } from './chat-steps.js';
import { firstDifference } from './first-difference.js';
import { writeStep } from './write-step.js';

const CHATS_PER_STEP = 100;
/** Beyond any seq. */
const LAST_SEQ = 2 ** 31 - 1;

export interface DatabaseArchiveOptions {
  /** Called when a chat has been written. It must not throw. */
  onChange?: ((change: { chatId: string; version: number }) => void) | undefined;
  /** Whose turn it takes. @default the server's own */
  caller?: Caller | undefined;
}

export class DatabaseArchive implements Archive {
  readonly #reading: Reading;

  constructor(
    private readonly connection: Connection,
    private readonly options: DatabaseArchiveOptions = {},
  ) {
    const read: Reading['read'] = async (query) => {
      try {
        return await connection.read(query, options.caller);
      } finally {
        // A statement that was cancelled fails with an error of its own.
        options.caller?.signal?.throwIfAborted();
      }
    };
    this.#reading = { sql: connection.sql, read };
  }

  async *chats({ userId, since }: { userId: string | null; since: number | null }): AsyncGenerator<Chat[]> {
    const { sql, read } = this.#reading;
    const done = new Set<string>();
    const filter = { userId, metadata: [], updatedAfter: since === null ? null : since - 1 };
    for (let last: ChatPosition | null = null; ;) {
      const before: ChatPosition | null = last;
      const rows: ChatRow[] = await read((db) =>
        db.rows<ChatRow>(sql.chats(filter, { after: null, before }, 'oldest', CHATS_PER_STEP)),
      );
      const chats: Chat[] = rows.map((row) => toChat(row, sql));
      last = chats.at(-1) ?? null;
      if (last === null) return;
      const found = chats.filter(({ id }) => !done.has(id));
      for (const { id } of found) done.add(id);
      if (found.length > 0) yield found;
    }
  }

  async read(chatId: string, owner: string | null): Promise<StoredChat | null> {
    const reading = owner === null ? this.#reading : ownedReading(this.#reading, chatId, owner);
    let state: ChatState | null;
    try {
      // Of another owner's chat nothing but its owner is read: the time would show that the chat exists.
      if (owner !== null) await reading.read(() => Promise.resolve());
      state = await readState(reading, chatId);
    } catch (error) {
      if (error instanceof AccessEndedError && error.chatId !== null) return null;
      throw error;
    }
    if (state === null) return null;
    const { chat, lastMessageSeq, branches, checkpoints } = state;
    return {
      chat,
      messageCount: lastMessageSeq,
      branches,
      checkpoints,
      messages: () => messagesOf(reading, state),
      events: () => eventsOf(reading, state),
      isThere: () => isThere(reading, state),
    };
  }

  async adopt(whole: WholeChat): Promise<Adoption> {
    const { sql } = this.connection;
    const { id, version } = whole.chat;
    let adoption: Adoption;
    try {
      adoption = await this.connection.write(id, (tx) => adoptIn(tx, sql, whole), this.options.caller);
    } catch (error) {
      if (sql.failure(error) !== 'duplicate') throw error;
      return { result: 'taken' };
    }
    if ('firstSeq' in adoption) this.options.onChange?.({ chatId: id, version });
    return adoption;
  }
}

/**
 * Reads a chat as long as it belongs to its owner. The owner is checked after the rows are read: rows that were written after
 * a transfer are never returned.
 */
function ownedReading({ sql, read }: Reading, chatId: string, owner: string): Reading {
  return {
    sql,
    read: (query) =>
      read(async (db) => {
        const result = await query(db);
        const [state] = await db.rows<LogStateRow>(sql.logStates([chatId]));
        if (state?.userId !== owner) throw new AccessEndedError(`chat "${chatId}" was deleted or transferred`, chatId);
        return result;
      }),
  };
}

async function adoptIn(tx: Transaction, sql: Dialect, whole: WholeChat): Promise<Adoption> {
  const { chat } = whole;
  const [row] = await tx.rows<ChatRow>(sql.lockChat(chat.id));
  if (row === undefined) {
    await tx.run(sql.insertChat(chat));
    await writeWhole(tx, sql, whole, { messages: 0, events: 0 });
    return { result: 'imported', firstSeq: 1 };
  }
  const there = toChat(row, sql);
  if (there.userId !== chat.userId) return { result: 'taken' };
  const [count] = await tx.rows<{ total: number }>(sql.messageCounts([chat.id]));
  const messages = Number(count?.total ?? 0);
  const stored = { chat: there, lastMessageSeq: messages };
  const difference = await firstDifference({ sql, read: (query) => query(tx) }, stored, whole);
  if (difference !== null) return { result: 'diverged', difference };
  if (chat.version <= there.version) return { result: 'unchanged' };
  await tx.run(sql.updateChat(chat));
  for (const table of ['branches', 'checkpoints'] as const) await tx.run(sql.deleteRange(table, chat.id, 0, LAST_SEQ));
  await writeWhole(tx, sql, whole, { messages, events: there.version });
  return { result: 'updated', firstSeq: messages + 1 };
}

/** @param there how many messages and events are there already */
async function writeWhole(
  tx: Transaction,
  sql: Dialect,
  whole: WholeChat,
  there: { messages: number; events: number },
): Promise<void> {
  for await (const rows of whole.messages()) {
    const fresh = rows.filter(({ seq }) => seq > there.messages);
    if (fresh.length > 0) await writeStep(tx, sql, { table: 'messages', rows: fresh });
  }
  for (const rows of slices(whole.branches)) await writeStep(tx, sql, { table: 'branches', rows });
  for (const rows of slices(whole.checkpoints)) await writeStep(tx, sql, { table: 'checkpoints', rows });
  for await (const rows of whole.events()) {
    const fresh: Rows['chat_events'][] = rows.filter(({ seq }) => seq > there.events);
    for (const step of slices(fresh)) await writeStep(tx, sql, { table: 'chat_events', rows: step });
  }
}
