/** The options of a ThreadStore. */
import type { DraftWriter } from './writes/draft-writer.js';
import type { InitialState } from './store/initial-state.js';
import type { OnConflict } from './store/thread-state.js';
import type { Outbox } from './store/outbox.js';

export interface ThreadOptions {
  /**
   * The number of messages per page: at most 1,000.
   * @default 50
   */
  pageSize?: number;
  /**
   * The name of the branch to show.
   * @default the active branch
   */
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
  /**
   * The largest number of missed events that the store reads; beyond it, the store reads the chat again.
   * @default 1_000
   */
  farBehind?: number;
  /**
   * DraftWriter of `@parley/client/writer`, for a page that writes answers. Without it, `write`, `ask` and `takeUp` are refused
   * with INVALID_INPUT.
   */
  writer?: typeof DraftWriter;
  /** Keeps messages until the server has confirmed or refused them: one of `@parley/client/outbox`. */
  outbox?: Outbox;
  /**
   * The resolution of conflicts, of `send` and of `useParleyChat`: `append` saves a message after newer ones, `fork` on a new branch,
   * `discard` drops it. A conflict that does not offer it is in `conflicts`.
   * @default 'ask': the user chooses in `conflicts`
   */
  onConflict?: OnConflict;
  /** The result of `readThreadState`: shown before the server responds, then updated from its version. */
  initialState?: InitialState | null;
}
