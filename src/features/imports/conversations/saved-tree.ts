import type { FileFault } from '@parley/interchange/server';

/** The saved part of a conversation. Complete after the write, because messages are computed on demand. */
export interface SavedTree {
  /** The ids of the new messages. */
  readonly messageIds: string[];
  /** The number of versions of messages that changed since their import. */
  changedMessages: number;
  /** The ids of nodes that were saved without their raw original, or as a placeholder. */
  readonly originalsLeftOut: Set<string>;
  readonly messagesLeftOut: Set<string>;
  /** The files that are missing from the messages that reference them. */
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
