import type { Caller } from '../scheduler/fair-queue.js';
import type { ContentBudget } from './content-budget.js';
import type { Deadline } from './deadline.js';

/** What one operation has, where that is limited. */
export interface OperationBounds {
  /** Until when it may begin anything. */
  deadline?: Deadline | undefined;
  /** Whose turn it takes. */
  caller?: Caller | undefined;
  /** How much it may read and return. */
  content?: ContentBudget | undefined;
}
