/** What those read who follow the drafts of chats. The store in src/database implements it. */
import type { Draft, DraftIdentity, DraftPiece, DraftStanding } from './draft.js';

export interface DraftReads {
  /** The drafts of each chat, and for a while those that have ended; null for a chat that is not there. */
  draftStandings(chatIds: readonly string[]): Promise<(DraftStanding[] | null)[]>;
  /**
   * The first pieces of a draft that go beyond its first so many chunks, in order, `limit` at most, and none after the piece with
   * which they have `maxBytes`; none of another draft that was begun later under the same id.
   */
  draftPieces(draft: DraftIdentity, after: number, limit: number, maxBytes: number): Promise<DraftPiece[]>;
  /** Drafts that nobody has written since a time, some of them. */
  idleDrafts(before: number): Promise<Draft[]>;
  /** Drafts that ended before a time, some of them. */
  endedDrafts(before: number): Promise<Draft[]>;
}
