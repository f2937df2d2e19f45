/** `@parley/client/chats`: a list of chats that shows created, renamed and deleted chats immediately. */
import { asParleyError } from '@parley/transport/errors';
import { DeleteChat, UpdateChat, UpsertChat } from '../generated/operations.js';
import type { Outcome } from '../outcome.js';
import { WriteQueue } from '../store/write-queue.js';
import { ChatList, type ChatItem } from './chat-list.js';

export { ChatList, type ChatItem, type ChatListState } from './chat-list.js';

export interface NewChat {
  /**
   * The id of the chat. An existing chat of this user is returned unchanged.
   * @default a random UUID
   */
  id?: string;
  /** @default null */
  title?: string | null;
  /**
   * A JSON object of at most 64 KiB.
   * @default {}
   */
  metadata?: unknown;
}

/** Applies a change to a list until the server has confirmed or refused it. */
type Guess = (chats: readonly ChatItem[]) => readonly ChatItem[];

export class EditableChatList extends ChatList {
  #guesses: readonly Guess[] = [];
  readonly #queue = new WriteQueue(this.parley.retryDelay);

  /** Creates a chat, first in the list. While the server is unavailable, the list retries. */
  create({ id = crypto.randomUUID(), title = null, metadata = {} }: NewChat = {}): Promise<Outcome<ChatItem>> {
    const now = new Date().toISOString();
    const guess: ChatItem = {
      ...{ id, title, metadata, userId: '', version: 0, messageCount: 0, branchCount: { totalCount: 1 } },
      ...{ createdAt: now, updatedAt: now, lastMessage: null },
    };
    return this.#write(
      (chats) => (chats.some((chat) => chat.id === id) ? chats : [guess, ...chats]),
      async (signal) => {
        const { upsertChat } = await this.parley.run(UpsertChat, { input: { id, title, metadata } }, signal);
        this.take(id, upsertChat.chat);
        return upsertChat.chat;
      },
    );
  }

  /** Sets the title of a chat, at most 255 characters; null removes it. */
  rename(id: string, title: string | null): Promise<Outcome<ChatItem>> {
    return this.#write(
      (chats) => chats.map((chat) => (chat.id === id ? { ...chat, title } : chat)),
      async (signal) => {
        const { chat } = (await this.parley.run(UpdateChat, { input: { chatId: id, title } }, signal)).updateChat;
        this.take(id, chat);
        return chat;
      },
    );
  }

  /** Deletes a chat with all its messages. Succeeds for a missing chat. */
  delete(id: string): Promise<Outcome> {
    return this.#write(
      (chats) => chats.filter((chat) => chat.id !== id),
      async (signal) => {
        await this.parley.run(DeleteChat, { input: { chatId: id } }, signal).catch((reason: unknown) => {
          if (asParleyError(reason).code !== 'NOT_FOUND') throw reason;
        });
        this.take(id, null);
      },
    );
  }

  protected override view(listed: readonly ChatItem[]): readonly ChatItem[] {
    return this.#guesses.reduce((chats, guess) => guess(chats), listed);
  }

  async #write<Value>(guess: Guess, run: (signal: AbortSignal) => Promise<Value>): Promise<Outcome<Value>> {
    this.#guesses = [...this.#guesses, guess];
    this.show();
    const outcome = await this.#queue.add(run);
    this.#guesses = this.#guesses.filter((other) => other !== guess);
    this.show();
    return outcome;
  }
}
