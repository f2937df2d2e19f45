/** The store behind the rules: transactions on a chat, one writer at a time. */
import { ChatChange, type NewChat } from '../conversation/change.js';
import type { Chat } from '../conversation/model.js';
import type { ConversationStore, LockedChat } from '../conversation/store.js';
import type { Prisma } from '../generated/sqlite/client.js';
import type { DatabaseClients } from './client.js';
import type { Dialect } from './dialect.js';
import { DatabaseLockedChat } from './locked-chat.js';
import { toChat, type ChatRow } from './rows.js';
import { writeChange } from './write-change.js';
import { WriteQueue } from './write-queue.js';

/** Prisma's own limits on a transaction, in milliseconds: wide, because the queue and the database set the real ones. */
const TRANSACTION_LIMITS = { maxWait: 60_000, timeout: 600_000 };

export class PrismaStore implements ConversationStore {
  readonly #queue: WriteQueue;

  constructor(
    private readonly clients: DatabaseClients,
    private readonly sql: Dialect,
    /** Milliseconds since 1970; the time of a change is taken when it has the chat's lock. */
    private readonly clock: () => number = Date.now,
  ) {
    this.#queue = new WriteQueue((error) => sql.isBusy(error));
  }

  now(): number {
    return this.clock();
  }

  change<T>(
    chatId: string,
    actorId: string,
    work: (chat: LockedChat, change: ChatChange) => Promise<T>,
  ): Promise<T | null> {
    return this.#transaction(async (tx) => {
      const [row] = await tx.$queryRaw<ChatRow[]>(this.sql.lockChat(chatId));
      if (row === undefined) return null;
      const chat = toChat(row);
      const change = new ChatChange(chat, actorId, this.now());
      const result = await work(new DatabaseLockedChat(chat, tx, this.sql), change);
      if (!change.isEmpty) {
        await writeChange(tx, this.sql, change);
        const { title, metadata, updatedAt, version } = change.chat;
        await tx.chat.update({ where: { id: chatId }, data: { title, metadata, updatedAt, version } });
      }
      return result;
    });
  }

  async create(chat: NewChat): Promise<boolean> {
    try {
      await this.#transaction(async (tx) => {
        await tx.chat.create({ data: chat.chat });
        await writeChange(tx, this.sql, chat);
      });
      return true;
    } catch (error) {
      if (this.sql.isUniqueViolation(error)) return false;
      throw error;
    }
  }

  async chat(id: string): Promise<Chat | null> {
    const row = await this.clients.reader.chat.findUnique({ where: { id } });
    return row === null ? null : toChat(row);
  }

  async remove(chatId: string): Promise<boolean> {
    const { count } = await this.#transaction((tx) => tx.chat.deleteMany({ where: { id: chatId } }));
    return count > 0;
  }

  close(): Promise<void> {
    return this.#queue.run(() => this.clients.close());
  }

  #transaction<T>(work: (tx: Prisma.TransactionClient) => Promise<T>): Promise<T> {
    return this.#queue.run(() => this.clients.writer.$transaction(work, TRANSACTION_LIMITS));
  }
}
