/** The latest known states of chats that changed recently. The state of any other chat is read from the database. */
import type { ListedRow } from '../conversation/list-reads.js';

/** The state of a chat. */
export interface RecentChat {
  readonly chatId: string;
  readonly version: number;
  /** Null after its deletion. */
  readonly userId: string | null;
  /** The time of the last deletion under its id: a later time means that this chat was deleted. */
  readonly deletedAt: number | null;
}

export class RecentChats {
  /** By id, the last changed one last. */
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
