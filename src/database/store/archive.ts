/** Exports and imports of whole chats, on the rows that copies read and write. */
import {
  AccessEndedError,
  type Adoption,
  type Archive,
  type ArchiveAccess,
  type StoredChat,
  type WholeChat,
} from '../../conversation/archive.js';
import { ChangedMeanwhileError } from '../../conversation/errors.js';
import type { Chat } from '../../conversation/model.js';
import { membersOf } from '../../conversation/members/ownership.js';
import type { ChatPosition } from '../../conversation/reads.js';
import type { Caller } from '../../scheduler/fair-queue.js';
import type { Connection, Queryable, Transaction } from '../connection/connection.js';
import { isLarge, rowsOf } from '../importing/bounded-steps.js';
import { continueChat } from '../importing/continue-chat.js';
import { writeHiddenChat } from '../importing/hidden-chat.js';
import { refuseWhileImported } from '../writing/open-import.js';
import { finishRemoval, blockingRemains } from '../removing/removal.js';
import { toChat, type LogStateRow } from '../reading/rows.js';
import { isThere, readChats, readState, type ChatState, type Reading } from '../copy/chat-state.js';
import { eventsOf, messagesOf } from '../copy/chat-steps.js';
import { fillDigests } from '../writing/fill-digests.js';
import { admit, importCommit, noteStored, runFeatureStatements } from '../change-hooks.js';
import { writeStep } from '../copy/write-step.js';

const CHATS_PER_STEP = 100;

export interface DatabaseArchiveOptions {
  /** Called after a chat was written. It must not throw. */
  onChange?: ((change: { chatId: string; version: number }) => void) | undefined;
  /**
   * The caller whose turns are used.
   * @default the server's own
   */
  caller?: Caller | undefined;
  /** Returns the database for reads of exports: see DatabaseHooks. */
  currentReads?: ((connection: Connection, caller?: Caller) => Promise<Connection> | undefined) | undefined;
}

export class DatabaseArchive implements Archive {
  readonly #reading: Reading;

  constructor(
    private readonly connection: Connection,
    private readonly options: DatabaseArchiveOptions = {},
  ) {
    this.#reading = this.#readingOf(connection);
  }

  #readingOf({ sql, read: readAny }: Connection): Reading {
    const { caller } = this.options;
    const read: Reading['read'] = async (query) => {
      try {
        return await readAny(query, caller);
      } finally {
        // A cancelled statement fails with its own error.
        caller?.signal?.throwIfAborted();
      }
    };
    return { sql, read };
  }

  /** The database for a chat, or a step of a list, as it is now or later. */
  async #currentReading(): Promise<Reading> {
    const { currentReads, caller } = this.options;
    const current = currentReads?.(this.connection, caller);
    return current === undefined ? this.#reading : this.#readingOf(await current);
  }

  async *chats({ userId, since }: { userId: string | null; since: number | null }): AsyncGenerator<Chat[]> {
    const done = new Set<string>();
    const filter = { userId, metadata: [], updatedAfter: since === null ? null : since - 1 };
    for (let last: ChatPosition | null = null; ;) {
      const before: ChatPosition | null = last;
      const { sql, read } = await this.#currentReading();
      const rows: Chat[] = await read((db) =>
        db.rows<Chat>(sql.chats(filter, { after: null, before }, 'oldest', CHATS_PER_STEP)),
      );
      const chats: Chat[] = rows.map((row) => toChat(row, sql));
      last = chats.at(-1) ?? null;
      if (last === null) return;
      const found = chats.filter(({ id }) => !done.has(id));
      for (const { id } of found) done.add(id);
      if (found.length > 0) yield found;
    }
  }

  async read(chatId: string, userId: string | null, access: ArchiveAccess = 'OWNED'): Promise<StoredChat | null> {
    const current = await this.#currentReading();
    const reading = userId === null ? current : checkedReading(current, this.#reading, { chatId, userId, access });
    let state: ChatState | null;
    try {
      // Reads only the owner and the members of another user's chat: response times do not reveal the chat.
      if (userId !== null) await reading.read(() => Promise.resolve());
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
    const { id, userId, version } = whole.chat;
    await admit(this.connection, userId);
    const adoption = await this.#adopt(whole);
    noteStored(this.connection, userId);
    if ('firstSeq' in adoption) {
      await fillDigests(this.connection, { ofChat: id });
      const { form, warn } = this.connection.scope;
      // The usage was computed meanwhile.
      if (form?.lists !== undefined) await form.lists.list(await readChats(this.#reading, [id]), warn);
      this.options.onChange?.({ chatId: id, version });
    }
    return adoption;
  }

  async #adopt(whole: WholeChat, isRetry = false): Promise<Adoption> {
    const { connection, options } = this;
    const { chat } = whole;
    const [stored] = await readChats(this.#reading, [chat.id]);
    if (stored === undefined) {
      if (await this.#insert(whole)) return { result: 'imported', firstSeq: 1 };
      const [other] = await readChats(this.#reading, [chat.id]);
      return other === undefined ? { result: 'taken' } : this.#adopt(whole, isRetry);
    }
    if (stored.userId !== chat.userId) return { result: 'taken' };
    try {
      return await continueChat(connection, whole, stored, options.caller);
    } catch (error) {
      if (connection.sql.failure(error) === 'duplicate') return { result: 'taken' };
      if (!(error instanceof ChangedMeanwhileError) || isRetry) throw error;
      return this.#adopt(whole, true);
    }
  }

  /**
   * Writes a new chat.
   * @returns false when its id, or the id of a row in it, is taken
   */
  async #insert(whole: WholeChat): Promise<boolean> {
    const { connection, options } = this;
    const { sql } = connection;
    const { chat } = whole;
    if (await isLarge(rowsOf(whole))) return writeHiddenChat(connection, whole, options.caller);
    const insert = async (tx: Transaction) => {
      await connection.scope.form?.lists?.expect(chat);
      await tx.run(sql.insertChat(chat));
      for await (const rows of rowsOf(whole)) await writeStep(tx, sql, rows);
      await runFeatureStatements(connection, tx, importCommit(chat, true));
    };
    try {
      await connection.write(chat.id, insert, { caller: options.caller });
      return true;
    } catch (error) {
      if (sql.failure(error) !== 'duplicate') throw error;
      await refuseWhileImported(connection, chat);
      const remains = await blockingRemains(connection, { chat, messages: [] });
      for (const id of remains) await finishRemoval(connection, id);
      return remains.length > 0 && this.#insert(whole);
    }
  }
}

/**
 * Reads a chat of a user. The rights are checked after the rows are read, so that rows written after a transfer or the
 * removal of the member are never returned, and on the primary database, because others learn of both later.
 */
function checkedReading(
  rows: Reading,
  rights: Reading,
  { chatId, userId, access }: { chatId: string; userId: string; access: ArchiveAccess },
): Reading {
  const mayRead = (state: LogStateRow | undefined): boolean =>
    state !== undefined &&
    (state.userId === userId || (access === 'READABLE' && membersOf(state).some((member) => member.userId === userId)));
  const ends = access === 'OWNED' ? 'deleted or transferred' : 'deleted or transferred, or the member was removed';
  const { sql } = rows;
  const check = async (db: Queryable) => {
    const [state] = await db.rows<LogStateRow>(sql.logStates([chatId]));
    if (!mayRead(state)) throw new AccessEndedError(`chat "${chatId}" was ${ends}`, chatId);
  };
  return {
    sql,
    read: async (query) => {
      if (rows !== rights) {
        const result = await rows.read(query);
        await rights.read(check);
        return result;
      }
      return rows.read(async (db) => {
        const result = await query(db);
        await check(db);
        return result;
      });
    },
  };
}
