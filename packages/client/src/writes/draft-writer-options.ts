import type { SavedFragment } from '../generated/operations.js';

export interface DraftWriterOptions {
  /**
   * The number of chunks in the draft; above 0 when an abandoned draft is continued.
   * @default 0
   */
  length?: number;
  /** Called with new chunks, and their offset in the draft, before they are sent. */
  appended?(offset: number, chunks: readonly unknown[]): void;
  /** Called after the server has saved the message. */
  finished?(saved: SavedFragment): void;
}
