/** `@parley/client/chats`: a list of chats that creates, renames and deletes them, and shows that at once. */
import { asParleyError } from '@parley/transport/errors';
import { DeleteChat, UpdateChat, UpsertChat } from '../generated/operations.js';
import type { Outcome } from '../store/outcome.js';
import { WriteQueue } from '../store/write-queue.js';
import { ChatList, type ChatItem } from './chat-list.js';

export { ChatList, type ChatItem, type ChatListState } from './chat-list.js';

export interface NewChat {
  /**
   * The id of the chat. A chat of this user that has it already is returned as it is.
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

/** Changes a list until the server has confirmed or refused it. */
type Guess = (chats: readonly ChatItem[]) => readonly ChatItem[];

export class EditableChatList extends ChatList {
  #guesses: readonly Guess[] = [];
  readonly #queue = new WriteQueue(this.parley.retryDelay);

  /** Creates a chat, first in the list. While the server is unavailable it is created later. */
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

  /** Gives a chat a title of at most 255 characters; null takes it away. */
  rename(id: string, title: string | null): Promise<Outcome<ChatItem>> {
    return this.#write(
      (chats) => chats.map((chat) => (chat.id === id ? { ...chat, title } : chat)),
      async (signal) => {
        const { chat } = (await this.parley.run(UpdateChat, { input: { id, title } }, signal)).updateChat;
        this.take(id, chat);
        return chat;
      },
    );
  }

  /** Deletes a chat with all its messages. One that is deleted already is success. */
  delete(id: string): Promise<Outcome> {
    return this.#write(
      (chats) => chats.filter((chat) => chat.id !== id),
      async (signal) => {
        await this.parley.run(DeleteChat, { input: { id } }, signal).catch((reason: unknown) => {
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
