/** The options of a ThreadStore. */
import type { DraftWriter } from '../drafts/draft-writer.js';
import type { InitialState } from './initial-state.js';
import type { Outbox } from './outbox.js';

export interface ThreadOptions {
  /** How many messages are read at a time: 50 by default, 1,000 at most. */
  pageSize?: number;
  /** The name of the branch to show; the active branch by default. */
  branch?: string;
  /**
   * Whether an arrow makes another branch active for all pages and users of the chat (`shared`, the default), or only
   * changes what this store shows (`local`).
   */
  switching?: 'shared' | 'local';
  /**
   * Whether the first message creates the chat when no chat has this id: until then the status is `live` and the thread is
   * empty. Without this option the status is `gone`.
   */
  create?: boolean;
  /** How many events the store may be behind before it reads the chat again instead of its events: 1,000 by default. */
  farBehind?: number;
  /**
   * DraftWriter of `@parley/client/writer`, for a page that writes answers. Without it, `write`, `ask` and `takeUp` are refused
   * with INVALID_INPUT.
   */
  writer?: typeof DraftWriter;
  /** Keeps messages until the server has confirmed or refused them: one of `@parley/client/outbox`. */
  outbox?: Outbox;
  /** The state of `readThreadState`: shown before the server is reached, and brought up to date from its version. */
  initialState?: InitialState | null;
}
