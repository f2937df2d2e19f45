import type { Caller } from '../scheduler/fair-queue.js';
import type { ContentBudget } from './content-budget.js';
import type { Deadline } from './deadline.js';

export interface OperationBounds {
  deadline?: Deadline | undefined;
  caller?: Caller | undefined;
  /** Budget of bytes that it reads and returns. */
  content?: ContentBudget | undefined;
  /**
   * Whether it changes nothing.
   * @default false
   */
  isQuery?: boolean | undefined;
}
