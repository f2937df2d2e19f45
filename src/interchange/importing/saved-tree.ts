import type { FileFault } from '@parley/interchange/server';

/** What was saved of a conversation. Complete when it has been written: messages are worked out when they are. */
export interface SavedTree {
  /** The ids of the messages that are new. */
  readonly messageIds: string[];
  /** How many of them are versions of messages that have changed since they were imported. */
  changedMessages: number;
  /** Ids of the nodes that were kept without their raw original, or as a placeholder alone. */
  readonly originalsLeftOut: Set<string>;
  readonly messagesLeftOut: Set<string>;
  /** The files that are not in the messages that point to them. */
  readonly filesLeftOut: Map<string, FileFault>;
}

export function nothingSaved(): SavedTree {
  return {
    messageIds: [],
    changedMessages: 0,
    originalsLeftOut: new Set(),
    messagesLeftOut: new Set(),
    filesLeftOut: new Map(),
  };
}
