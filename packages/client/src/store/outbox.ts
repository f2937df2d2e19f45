/** What a store needs of an outbox; `@parley/client/outbox` makes them. */
import type { Content, Message } from './message.js';
import type { Outcome } from './outcome.js';

/** A message of `send`, as an outbox keeps it: a value that JSON can hold, as long as its content is. */
export interface SentMessage {
  readonly id: string;
  readonly chatId: string;
  readonly name: string;
  readonly content: Content;
  /** RFC 3339, in UTC. */
  readonly createdAt: string;
  /** The message it follows; null for the first one. */
  readonly parentId: string | null;
  /** The `branch` option of the store that sent it; null without one. */
  readonly branch: string | null;
  /** The id of the branch it goes to; undefined for the active one. */
  readonly branchId?: string | undefined;
  /** Whether it begins a branch of its own after `parentId`. */
  readonly isLoose: boolean;
}

/** Keeps messages from `send` until the server has confirmed or refused them. Nothing of it rejects. */
export interface Outbox {
  /** Keeps a message until this settles, and longer when the store was closed before (code `CLOSED`). */
  keep(message: SentMessage, settled: Promise<Outcome<readonly Message[]>>): void;
  /**
   * The messages that no store of this page is sending, in the order of `keep`.
   * @param chatId all chats without it
   * @param branch of the stores that were opened with this `branch` option
   */
  list(chatId?: string, branch?: string | null): Promise<readonly SentMessage[]>;
}
