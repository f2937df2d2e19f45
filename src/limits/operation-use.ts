import { ContentBudget } from './content-budget.js';
import { Deadline } from './deadline.js';
import type { OperationBounds } from './operation-bounds.js';
import type { Caller } from '../scheduler/fair-queue.js';
import type { Holding } from './memory.js';

/** The resources of one operation, or of one answer of a subscription. */
export class OperationUse implements OperationBounds {
  readonly caller: Caller;
  readonly content: ContentBudget;
  readonly deadline: Deadline;
  readonly isQuery: boolean;
  readonly #onEnd: () => void;

  constructor(of: {
    userId: string;
    timeoutMs: number;
    maxContentBytes: number;
    content: Holding;
    isQuery: boolean;
    onEnd: () => void;
  }) {
    this.isQuery = of.isQuery;
    this.content = new ContentBudget(of.maxContentBytes, of.content, of.isQuery);
    this.deadline = new Deadline(of.timeoutMs);
    this.caller = { userId: of.userId, signal: this.deadline.signal };
    this.#onEnd = of.onEnd;
  }

  /** Ends the operation: nothing more is done for it. */
  end(): void {
    this.deadline.end();
    this.content.end();
    this.#onEnd();
  }
}
