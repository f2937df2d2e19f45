/** Reads for subscribers of drafts, implemented in src/database. */
import type { Draft, DraftIdentity, DraftPiece, DraftStanding } from './draft.js';

export interface DraftReads {
  /** The drafts of each chat, recently ended ones included; null for an unknown chat. */
  draftStandings(chatIds: readonly string[]): Promise<(DraftStanding[] | null)[]>;
  /**
   * Pieces of a draft after its first `after` chunks, in order. At most `limit`, and none after the piece that reaches
   * `maxBytes`. Pieces of a later draft with the same id are left out.
   */
  draftPieces(draft: DraftIdentity, after: number, limit: number, maxBytes: number): Promise<DraftPiece[]>;
  /** Some of the drafts without an append since a time. */
  idleDrafts(before: number): Promise<Draft[]>;
  /** Some of the drafts that ended before a time. */
  endedDrafts(before: number): Promise<Draft[]>;
}
