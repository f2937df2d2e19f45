/** A complete chat as archives and copies hold it, and the interfaces that read and write it. */
import type { Branch, Chat, Checkpoint, StoredEvent, StoredMessage } from './model.js';
import type { Row } from './tables.js';

/** A chat at one moment, without its drafts: an unfinished message is not part of the conversation. */
export interface WholeChat {
  /** Its version is the number of its events. */
  readonly chat: Chat;
  readonly messageCount: number;
  /** Ordered by seq, as are the checkpoints. */
  readonly branches: readonly Branch[];
  readonly checkpoints: readonly Checkpoint[];
  /**
   * The importing user replaces the file's authors: stored rows match regardless of their authors.
   * @default false
   */
  readonly hasReplacedAuthors?: boolean;
  /** The recorded origin of a fork of a share. */
  readonly fork?: Row<'chat_forks'> | null;
  /** Batches of bounded size, ordered by seq. May be called more than once. */
  messages(): AsyncIterable<readonly StoredMessage[]>;
  /** The log in batches, like `messages`. */
  events(): AsyncIterable<readonly StoredEvent[]>;
}

/** A chat that is being read. Rows added after the read began are left out. */
export interface StoredChat extends WholeChat {
  /** Call it after reading: false means that the chat was deleted meanwhile and was read in part. */
  isThere(): Promise<boolean>;
}

/** The first stored row that differs from the file's. */
export interface DifferentRow {
  kind: 'message' | 'event';
  seq: number;
}

/** Access to the rest of an export has ended. The message completes `The export is incomplete: `. */
export class AccessEndedError extends Error {
  /** @param chatId the chat that is no longer readable; null when the whole export ends */
  constructor(
    message: string,
    readonly chatId: string | null = null,
  ) {
    super(message);
  }
}

/** Chats that an archive reads for a user: owned ones, or also those of others of which the user is a member. */
export type ArchiveAccess = 'OWNED' | 'READABLE';

export interface Archive {
  /**
   * Chats in bounded batches, least recently changed first. Each chat is listed once, even if it changes meanwhile.
   * @param filter.userId the owner; null: all owners
   * @param filter.since changed since this time, in milliseconds since 1970
   */
  chats(filter: { userId: string | null; since: number | null }): AsyncIterable<readonly Chat[]>;
  /**
   * Reads a chat of a user. An unknown chat and another user's chat run the same statements.
   * @param userId checked with every bounded read, which throws AccessEndedError once the chat is deleted or
   * transferred, or the member removed; null: any owner, unchecked
   * @param access 'OWNED' by default
   * @returns null when the user has no such chat
   */
  read(chatId: string, userId: string | null, access?: ArchiveAccess): Promise<StoredChat | null>;
}
