/** The interface of an outbox; `@parley/client/outbox` has implementations. */
import type { Content, Message } from '../message.js';
import type { Outcome } from '../outcome.js';

/** A message of `send` or of useParleyChat in an outbox: JSON, if its content is JSON. */
export interface SentMessage {
  readonly id: string;
  readonly chatId: string;
  readonly name: string;
  readonly content: Content;
  /** RFC 3339, in UTC. */
  readonly createdAt: string;
  /** The message before it; null for the first one. */
  readonly parentId: string | null;
  /** The `branch` option of the store that sent it; null without one. */
  readonly branch: string | null;
  /** The id of its branch; undefined for the active branch. */
  readonly branchId?: string | undefined;
  /** Whether the message starts a new branch after `parentId`. */
  readonly isLoose: boolean;
  /** Whether useParleyChat sent the message and requests its answer. */
  readonly isAsked?: boolean;
}

/** Keeps messages until the server has confirmed or refused them. Its functions never reject. */
export interface Outbox {
  /** Keeps a message until `settled` settles; longer when the store was closed first (code `CLOSED`). */
  keep(message: SentMessage, settled: Promise<Outcome<readonly Message[]>>): void;
  /**
   * The messages that no store of this page is sending, in the order of `keep`.
   * @param chatId all chats by default
   * @param branch only of stores with this option `branch`
   * @param isAsked only messages of useParleyChat, or only those of `send`
   */
  list(chatId?: string, branch?: string | null, isAsked?: boolean): Promise<readonly SentMessage[]>;
}
