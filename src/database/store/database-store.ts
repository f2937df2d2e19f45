/** The ConversationStore in SQL: transactions per chat, one writer at a time. */
import { ChatChange, type NewChat, type PartChange } from '../../conversation/change.js';
import type { Chat, DeletedChat } from '../../conversation/model.js';
import type {
  ChangeOptions,
  ConversationStore,
  LockedChat,
  RemovalOptions,
  RemovedChat,
} from '../../conversation/store.js';
import type { Deadline } from '../../limits/deadline.js';
import type { Connection } from '../connection/connection.js';
import { DatabaseLockedChat } from './locked-chat.js';
import { PendingDeletionError, removals } from '../removals.js';
import { toChat, type TipRow } from '../reading/rows.js';
import { isLarge, rowsOf, wholeOf } from '../whole-chats/bounded-steps.js';
import { writeHiddenChat } from '../whole-chats/hidden-chat.js';
import { refuseWhileImported } from '../writing/open-import.js';
import { admit, featureStatements, noteCommit, UnpreparedError } from '../change-hooks.js';
import { insertChat, writeChange } from '../writing/write-change.js';

export interface DatabaseStoreOptions {
  /**
   * Milliseconds since 1970, read under the chat's lock.
   * @default Date.now
   */
  clock?: (() => number) | undefined;
  /** Called after a commit with the seq of the last event. It must not throw. */
  onChange?: ((change: { chatId: string; version: number }) => void) | undefined;
  /** Called after the commit of a part of a chat, with what the feature adds for this process. It must not throw. */
  onPart?: ((change: PartChange, added?: unknown) => void) | undefined;
  /** The connection for remains of deleted chats, without time limits. The store's own by default. */
  unbounded?: Connection | undefined;
  /** The time limit of the operation, which notes its commits. */
  deadline?: Pick<Deadline, 'hasWritten'> | undefined;
}

export class DatabaseStore implements ConversationStore {
  constructor(
    /** Within the limits of the operation. */
    readonly connection: Connection,
    private readonly options: DatabaseStoreOptions = {},
  ) {}

  /** The store of a database, for the writes of a feature. */
  static of(store: ConversationStore): DatabaseStore {
    if (!(store instanceof DatabaseStore)) throw new TypeError('The store is not that of a database');
    return store;
  }

  get unbounded(): Connection {
    return this.options.unbounded ?? this.connection;
  }

  now(): number {
    return (this.options.clock ?? Date.now)();
  }

  async change<T>(
    chatId: string,
    actorId: string,
    work: (chat: LockedChat, change: ChatChange) => Promise<T>,
    { tipOf, newChat }: ChangeOptions = {},
  ): Promise<T | null> {
    const prepared = new Set<string>();
    /** The chat that the last attempt created. */
    const created: NewChat[] = [];
    const create = newChat && (() => (created[0] = newChat()));
    for (let isRetry = false; ;) {
      created.length = 0;
      try {
        return await this.#change(chatId, actorId, work, { tipOf, newChat: create, prepared });
      } catch (error) {
        const isTaken = this.connection.sql.failure(error) === 'duplicate';
        // The id was taken meanwhile: the retry reports it.
        if (!isRetry && isTaken) isRetry = true;
        else if (isTaken && created[0] !== undefined) {
          if (!(await (await removals()).removeBlocking(this.connection, created[0]))) return null;
        } else if (error instanceof PendingDeletionError)
          await (await removals()).finishRemoval(this.connection, error.chatId);
        else if (error instanceof UnpreparedError && !prepared.has(error.key)) {
          await error.prepare();
          prepared.add(error.key);
        } else throw error;
      }
    }
  }

  async #change<T>(
    chatId: string,
    actorId: string,
    work: (chat: LockedChat, change: ChatChange) => Promise<T>,
    { tipOf, newChat, prepared }: ChangeOptions & { prepared: ReadonlySet<string> },
  ): Promise<T | null> {
    const { sql, scope } = this.connection;
    const outcome = await this.connection.write(chatId, async (tx) => {
      const [[row], tip] = await Promise.all([
        tx.rows<Chat>(sql.lockChat(chatId)),
        tipOf !== undefined && tx.isPipelined === true ? tx.rows<TipRow>(sql.tip(chatId, tipOf)) : undefined,
      ]);
      const added = row === undefined ? newChat?.() : undefined;
      const chat = row === undefined ? added?.chat : toChat(row, sql);
      if (chat === undefined) return null;
      const change = added ?? new ChatChange(chat, actorId, this.now());
      const rows = added === undefined ? tip : tipsOfNew(added, tipOf);
      const locked = new DatabaseLockedChat(chat, tx, sql, scope, rows && { of: tipOf, rows });
      const result = await work(locked, change);
      for (const { check } of scope.hooks) {
        const checked = check?.(change, chat, tx, prepared);
        if (checked !== undefined) await checked;
      }
      if (change.newOwnerId !== null) await scope.form?.lists?.leave(chat);
      // An import keeps the time of its file.
      else if (change.updatedAt !== change.now) await scope.form?.lists?.expect(chat);
      if (added !== undefined) await insertChat(this.connection, tx, added);
      else if (!change.isEmpty)
        await writeChange(tx, this.connection, change, [
          sql.updateChat(change.chat),
          ...featureStatements(this.connection, change),
        ]);
      return { result, change, before: added === undefined ? chat : null };
    });
    if (outcome === null) return null;
    const { change, before } = outcome;
    noteCommit(this.connection, change, before);
    if (change.events.length > 0) await this.announce(change.chat);
    if (change.part !== null) this.announcePart(change.part);
    return outcome.result;
  }

  /** After the commit of a part alone. */
  announcePart(change: PartChange, added?: unknown): void {
    if (this.options.deadline !== undefined) this.options.deadline.hasWritten = true;
    this.options.onPart?.(change, added);
  }

  async create(chat: NewChat): Promise<boolean> {
    const { sql } = this.connection;
    await admit(this.connection, chat.chat.userId);
    try {
      await this.connection.write(chat.chat.id, (tx) => insertChat(this.connection, tx, chat));
    } catch (error) {
      if (sql.failure(error) !== 'duplicate') throw error;
      return (await (await removals()).removeBlocking(this.connection, chat)) && this.create(chat);
    }
    noteCommit(this.connection, chat, null);
    await this.announce(chat.chat);
    return true;
  }

  async createInSteps(chat: NewChat): Promise<boolean> {
    const whole = wholeOf(chat);
    if (!(await isLarge(rowsOf(whole)))) {
      if (await this.create(chat)) return true;
      await refuseWhileImported(this.connection, chat.chat);
      return false;
    }
    await admit(this.connection, chat.chat.userId);
    if (!(await writeHiddenChat(this.connection, whole))) return false;
    noteCommit(this.connection, chat, null);
    await this.announce(chat.chat);
    return true;
  }

  async chat(id: string): Promise<Chat | null> {
    const { sql } = this.connection;
    const [row] = await this.connection.read((db) => db.rows<Chat>(sql.chatsById([id])));
    return row === undefined ? null : toChat(row, sql);
  }

  async remove(
    chatId: string,
    actorId: string,
    { isDue, isRestorable, signal }: RemovalOptions = {},
  ): Promise<RemovedChat | null> {
    const note = (chat: Chat) =>
      isDue?.(chat) === false ? null : { userId: chat.userId, actorId, createdAt: this.now() };
    const { removeChat, finishRemovals } = await removals();
    const removal = await removeChat(this.connection, chatId, note, isRestorable);
    if (removal === null) return null;
    if (this.options.deadline !== undefined) this.options.deadline.hasWritten = true;
    this.options.onChange?.({ chatId, version: removal.deletion.seq });
    // Also finishes interrupted removals of other chats.
    if (!removal.isDone) await finishRemovals(this.unbounded, undefined, signal);
    return removal;
  }

  async deletedChat(id: string): Promise<DeletedChat | null> {
    const { sql } = this.connection;
    const [row] = await this.connection.read((db) => db.rows<DeletedChat>(sql.deletedChat(id)));
    return row ?? null;
  }

  /** After the commit: lists of the user show the change before subscribers receive it. */
  async announce(chat: Chat): Promise<void> {
    const { form, warn } = this.connection.scope;
    await form?.lists?.list([chat], warn);
    if (this.options.deadline !== undefined) this.options.deadline.hasWritten = true;
    this.options.onChange?.({ chatId: chat.id, version: chat.version });
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}

/** The rows of Dialect.tip for a chat that is not written yet. */
function tipsOfNew({ branches }: NewChat, name: string | null | undefined): TipRow[] {
  const none = { headDepth: null, lastSeq: null, lastIndex: null, headHash: null, headUsage: null, ladder: null };
  return [...branches.values()]
    .filter((each) => name == null || each.name === name)
    .map((each) => ({ ...each, ...none }));
}
