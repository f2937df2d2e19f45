import type { Caller } from '../scheduler/fair-queue.js';
import type { ContentBudget } from './content-budget.js';
import type { Deadline } from './deadline.js';

/** The limits of one operation, where it has them. */
export interface OperationBounds {
  /** Time limit. */
  deadline?: Deadline | undefined;
  /** The user in whose turn it runs. */
  caller?: Caller | undefined;
  /** Budget of bytes that it reads and returns. */
  content?: ContentBudget | undefined;
  /**
   * Whether it changes nothing.
   * @default false
   */
  isQuery?: boolean | undefined;
}
