/** Exports of whole chats, on the rows that copies read. */
import type { AuditRecord } from '../../audit.js';
import type { WholeChat } from '../../conversation/whole-chat.js';
import type { Chat } from '../../conversation/model.js';
import { ARCHIVED_MESSAGE_COLUMNS } from '../../conversation/tables.js';
import { membersOf } from '../../conversation/access/ownership.js';
import type { ChatPosition } from '../../conversation/reads.js';
import type { Caller } from '../../scheduler/fair-queue.js';
import type { RouteServices } from '../../feature.js';
import type { Connection, Queryable } from '../../database/connection/connection.js';
import { toChat, type LogStateRow } from '../../database/reading/rows.js';
import { isThere, readState, type ChatState, type Reading } from '../../database/whole-chats/chat-state.js';
import { eventsOf, messagesOf } from '../../database/whole-chats/chat-steps.js';

const CHATS_PER_STEP = 100;

/** A chat that is being read. Rows added after the read began are left out. */
export interface StoredChat extends WholeChat {
  readonly messageMembers: readonly string[];
  /** Call it after reading: false means that the chat was deleted meanwhile and was read in part. */
  isThere(): Promise<boolean>;
}

/** Access to the rest of an export has ended. The message completes `The export is incomplete: `. */
export class AccessEndedError extends Error {
  /** @param chatId the chat that is no longer readable; null when the whole export ends */
  constructor(
    message: string,
    readonly chatId: string | null = null,
  ) {
    super(message);
  }
}

/** Chats that an archive reads for a user: owned ones, or also those of others of which the user is a member. */
export type ArchiveAccess = 'OWNED' | 'READABLE';

export interface ArchiveOptions {
  /**
   * The caller whose turns are used.
   * @default the server's own
   */
  caller?: Caller | undefined;
  /** Returns the database for reads of exports: see RouteServices. */
  currentReads?: RouteServices['currentReads'] | undefined;
}

export type Archive = Pick<ChatArchive, 'chats' | 'read'>;

export class ChatArchive {
  readonly #reading: Reading;

  constructor(
    connection: Connection,
    private readonly options: ArchiveOptions = {},
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
    const current = currentReads?.(caller);
    return current === undefined ? this.#reading : this.#readingOf(await current);
  }

  /**
   * Chats in bounded batches, least recently changed first. Each chat is listed once, even if it changes meanwhile.
   * @param filter.userId the owner; null: all owners
   * @param filter.since changed since this time, in milliseconds since 1970
   */
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

  /**
   * Reads a chat of a user. An unknown chat and another user's chat run the same statements.
   * @param userId checked with every bounded read, which throws AccessEndedError once the chat is deleted or
   * transferred, or the member removed; null: any owner, unchecked
   * @returns null when the user has no such chat
   */
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
      messageMembers: ARCHIVED_MESSAGE_COLUMNS,
      branches,
      checkpoints,
      messages: () => messagesOf(reading, state),
      events: () => eventsOf(reading, state),
      isThere: () => isThere(reading, state),
    };
  }
}

/** Records the chats that an export reads. */
export function auditedArchive(archive: Archive, audit: AuditRecord | null): Archive {
  if (audit === null) return archive;
  return {
    chats: (filter) => archive.chats(filter),
    read: async (...asked) => {
      const found = await archive.read(...asked);
      if (found !== null) audit.read('chat.exported', [found.chat.id]);
      return found;
    },
  };
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
