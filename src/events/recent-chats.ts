/** The latest known states of chats that changed recently. The state of any other chat is read from the database. */
import type { ListedRow } from '../conversation/list-reads.js';

/** How a chat stands. */
export interface RecentChat {
  readonly chatId: string;
  readonly version: number;
  /** Null once it is gone. */
  readonly userId: string | null;
  /** When a chat of its id was last deleted: a later time says that this one was. */
  readonly deletedAt: number | null;
}

export class RecentChats {
  /** By id, the one that changed last at the end. */
  readonly #chats = new Map<string, RecentChat>();

  /** @param capacity how many chats are kept; those that changed longest ago are dropped */
  constructor(private readonly capacity: number) {}

  get(chatId: string): RecentChat | undefined {
    return this.#chats.get(chatId);
  }

  know({ chatId, userId, version, deletedAt }: RecentChat | ListedRow): void {
    this.#chats.delete(chatId);
    this.#chats.set(chatId, { chatId, version, userId, deletedAt });
    const [oldest] = this.#chats.keys();
    if (this.#chats.size > this.capacity && oldest !== undefined) this.#chats.delete(oldest);
  }

  forgetAll(): void {
    this.#chats.clear();
  }
}
