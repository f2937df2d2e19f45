/** The store behind the rules: transactions on a chat, one writer at a time. */
import { ChatChange, type NewChat } from '../conversation/change.js';
import type { Chat } from '../conversation/model.js';
import type { ConversationStore, LockedChat } from '../conversation/store.js';
import type { Connection } from './connection.js';
import { DatabaseLockedChat } from './locked-chat.js';
import { toChat, type ChatRow } from './rows.js';
import { writeChange } from './write-change.js';
import { writeDeletion } from './write-deletion.js';

export interface PrismaStoreOptions {
  /** Milliseconds since 1970; the time of a change is taken when it has the chat's lock. @default Date.now */
  clock?: (() => number) | undefined;
  /** Called when a change has been committed, with the seq of its last event. It must not throw. */
  onChange?: ((change: { chatId: string; version: number }) => void) | undefined;
}

export class PrismaStore implements ConversationStore {
  constructor(
    private readonly connection: Connection,
    private readonly options: PrismaStoreOptions = {},
  ) {}

  now(): number {
    return (this.options.clock ?? Date.now)();
  }

  async change<T>(
    chatId: string,
    actorId: string,
    work: (chat: LockedChat, change: ChatChange) => Promise<T>,
  ): Promise<T | null> {
    const { sql } = this.connection;
    const outcome = await this.connection.write(chatId, async (tx) => {
      const [row] = await tx.$queryRaw<ChatRow[]>(sql.lockChat(chatId));
      if (row === undefined) return null;
      const chat = toChat(row, sql);
      const change = new ChatChange(chat, actorId, this.now());
      const result = await work(new DatabaseLockedChat(chat, tx, sql), change);
      if (!change.isEmpty) await writeChange(tx, sql, change, [sql.updateChat(change.chat)]);
      return { result, version: change.isEmpty ? null : change.chat.version };
    });
    if (outcome === null) return null;
    if (outcome.version !== null) this.options.onChange?.({ chatId, version: outcome.version });
    return outcome.result;
  }

  async create(chat: NewChat): Promise<boolean> {
    const { sql } = this.connection;
    try {
      await this.connection.write(chat.chat.id, async (tx) => {
        await tx.$executeRaw(sql.insertChat(chat.chat));
        await writeChange(tx, sql, chat);
      });
    } catch (error) {
      if (sql.failure(error) === 'duplicate') return false;
      throw error;
    }
    this.options.onChange?.({ chatId: chat.chat.id, version: chat.chat.version });
    return true;
  }

  async chat(id: string): Promise<Chat | null> {
    const { sql } = this.connection;
    const [row] = await this.connection.read((client) => client.$queryRaw<ChatRow[]>(sql.chatsById([id])));
    return row === undefined ? null : toChat(row, sql);
  }

  async remove(chatId: string, actorId: string): Promise<boolean> {
    const { sql } = this.connection;
    const deletion = await this.connection.write(chatId, async (tx) => {
      const [row] = await tx.$queryRaw<ChatRow[]>(sql.lockChat(chatId));
      if (row === undefined) return null;
      const { userId, version } = toChat(row, sql);
      const deleted = await writeDeletion(tx, { chatId, userId, seq: version + 1, actorId, createdAt: this.now() });
      await tx.chat.deleteMany({ where: { id: chatId } });
      return deleted;
    });
    if (deletion === null) return false;
    this.options.onChange?.({ chatId, version: deletion.seq });
    return true;
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}
