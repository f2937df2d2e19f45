/** The stored shares, implemented in src/database. Reads for clients are in reads.ts. */
import type { ChatScoped } from '../chat-scoped.js';
import type { Chat } from '../model.js';
import type { Row } from '../tables.js';

/** A share without its hash. */
export type Share = Omit<Row<'shares'>, 'tokenHash'>;

/** A share with the depth of its last message. */
export interface SharedEnd extends Share {
  readonly depth: number;
}

export interface ShareRecords {
  /**
   * Adds a share under the lock of its chat, so that it cannot follow a transfer. Shares of a chat have distinct
   * times.
   * @param mayShare whether the present chat allows it
   * @returns null for a missing chat, one that does not allow it, and one with `limit` shares
   */
  add(
    share: Row<'shares'>,
    options: { mayShare: (chat: Chat) => boolean; limit: number },
  ): Promise<{ share: Share } | 'missing' | 'full'>;
  byId(id: string): Promise<Share | null>;
  /** Returns false when there is no such share. */
  remove(share: ChatScoped): Promise<boolean>;
}
