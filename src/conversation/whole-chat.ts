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
  events(): AsyncIterable<readonly StoredEvent[]>;
}
