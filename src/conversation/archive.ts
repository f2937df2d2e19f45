/** The whole of a chat, with all that there is of it: as it is taken away, and as it comes back. */
import type { Branch, Chat, Checkpoint, StoredEvent, StoredMessage } from './model.js';

/** A chat at one moment. Drafts are no part of it: they are not said yet. */
export interface WholeChat {
  /** Its version is the number of its events. */
  readonly chat: Chat;
  readonly messageCount: number;
  /** In the order of their seqs, as are the checkpoints. */
  readonly branches: readonly Branch[];
  readonly checkpoints: readonly Checkpoint[];
  /** The importing user stands in place of the file's authors: stored rows match whatever their authors. @default false */
  readonly hasReplacedAuthors?: boolean;
  /** In the order of their seqs, a bounded number at a time; may be asked for more than once. */
  messages(): AsyncIterable<readonly StoredMessage[]>;
  /** The same of the log. */
  events(): AsyncIterable<readonly StoredEvent[]>;
}

/** A chat that is read. What is added to it meanwhile is left out. */
export interface StoredChat extends WholeChat {
  /** To be asked when it has been read: a chat that is deleted meanwhile is read in part. */
  isThere(): Promise<boolean>;
}

/** What became of a chat that was brought. */
export type Adoption =
  | { result: 'imported' | 'updated'; /** Only of those that are new. */ firstSeq: number }
  | { result: 'unchanged' }
  /** Stored rows differ from those of the file: the chat was left as it is. */
  | { result: 'diverged'; difference: DifferentRow }
  /** Its id, or that of something in it, is another's: it was not written. */
  | { result: 'taken' };

/** The first stored row that is not equal to the file's. */
export interface DifferentRow {
  kind: 'message' | 'event';
  seq: number;
}

/** Access to the rest of an export has ended. The message completes `The export is incomplete: `. */
export class AccessEndedError extends Error {
  /** @param chatId the chat that is lost; null when the whole export ends */
  constructor(
    message: string,
    readonly chatId: string | null = null,
  ) {
    super(message);
  }
}

export interface Archive {
  /**
   * Chats, a bounded number at a time, those first that have not been changed for longest; each once, though it may be
   * changed meanwhile.
   * @param filter.userId whose; null: everybody's
   * @param filter.since those changed since then, in milliseconds since 1970
   */
  chats(filter: { userId: string | null; since: number | null }): AsyncIterable<readonly Chat[]>;
  /**
   * Reads a chat of an owner. An unknown chat and another owner's chat run the same statements.
   * @param owner checked with every bounded read, which throws AccessEndedError once the chat is deleted or transferred;
   * null: the chat may belong to any user, and is not checked
   * @returns null when the owner has no such chat
   */
  read(chatId: string, owner: string | null): Promise<StoredChat | null>;
  /**
   * Writes a chat as it is, ids and times and all, or what is new in it, in one transaction. It must have been checked.
   * A stored chat is continued when all of its messages and events are the beginning of the other's.
   */
  adopt(chat: WholeChat): Promise<Adoption>;
}
