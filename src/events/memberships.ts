import { setNewest } from './recent-items.js';

/** The memberships of followed users, by which the end of one is noticed. Others are not noted. */
export class Memberships {
  /** By chat. */
  readonly #users = new Map<string, Set<string>>();
  /** By user, the last noted chat last. */
  readonly #chats = new Map<string, Map<string, string>>();

  /** @param capacity how many chats of each user are noted */
  constructor(private readonly capacity: number) {}

  /** Notes the memberships of a user from now on. */
  follow(userId: string): void {
    if (!this.#chats.has(userId)) this.#chats.set(userId, new Map());
  }

  unfollow(userId: string): void {
    for (const chatId of this.#chats.get(userId)?.keys() ?? []) this.#forget(chatId, userId);
    this.#chats.delete(userId);
  }

  add(chatId: string, userId: string): void {
    const chats = this.#chats.get(userId);
    if (chats === undefined) return;
    const oldest = setNewest(chats, chatId, chatId, this.capacity);
    if (oldest !== undefined) this.#forget(oldest, userId);
    this.#users.set(chatId, (this.#users.get(chatId) ?? new Set()).add(userId));
  }

  /**
   * Notes the present members of a chat.
   * @returns those that were noted before
   */
  replace(chatId: string, members: readonly string[]): string[] {
    const before = [...(this.#users.get(chatId) ?? [])];
    for (const userId of before) {
      this.#chats.get(userId)?.delete(chatId);
      this.#forget(chatId, userId);
    }
    for (const userId of members) this.add(chatId, userId);
    return before;
  }

  clear(): void {
    this.#users.clear();
    this.#chats.clear();
  }

  #forget(chatId: string, userId: string): void {
    const users = this.#users.get(chatId);
    users?.delete(userId);
    if (users?.size === 0) this.#users.delete(chatId);
  }
}
