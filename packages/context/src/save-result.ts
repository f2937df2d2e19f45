import type { BranchInfo, MessageData } from './store/store-data.js';

export interface SaveResult {
  /**
   * The branch that now ends in the last message: a new one after an edit, or by FORK. It is inactive when other clients
   * show another branch, as after overlapping turns.
   */
  branch: BranchInfo;
  /** As saved, in the order in which they were set. */
  messages: MessageData[];
  /** Whether the branch is new. */
  branched: boolean;
}
