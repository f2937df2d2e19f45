/** What a ThreadStore shows. Each change makes a new object; what has not changed in it is the same as before. */
import type { ParleyError } from '@parley/transport/errors';
import type { Draft } from '../drafts/chat-drafts.js';
import type { ChildrenMap } from '../tree/tree.js';
import type { Branch, ChatInfo, Checkpoint } from './chat-record.js';
import type { Status } from './live-chat.js';
import type { Message } from './message.js';
import type { Outcome } from './outcome.js';

export interface ThreadState {
  readonly chatId: string;
  readonly status: Status;
  /** Why it is away, refused, gone or failed. */
  readonly error: ParleyError | null;
  /** The `seq` of the last event of the chat that is in what is shown; 0 until it was read. */
  readonly version: number;
  /** Null until it was read. */
  readonly chat: ChatInfo | null;
  /** The thread that is shown, root first: what was seen of it. */
  readonly thread: readonly Message[];
  /** Whether there is more above its first message: `loadOlder`. */
  readonly hasOlder: boolean;
  /** Whether there is more below its last message, after a jump: `loadNewer`. */
  readonly hasNewer: boolean;
  /** Whether messages of the thread are being read. */
  readonly isLoading: boolean;
  /** The last message of the thread, seen or not; null for an empty one. */
  readonly leafId: string | null;
  /** The branch that is shown; null while another version is looked at, which no branch leads to. */
  readonly branch: Branch | null;
  /** Oldest first. */
  readonly branches: readonly Branch[];
  /** Newest first. */
  readonly checkpoints: readonly Checkpoint[];
  /** All messages that were seen, on every branch, in the order of saving. */
  readonly allMessages: readonly Message[];
  /** Their parent-to-children index: the same map for good, with a new list where children have come. */
  readonly childrenMap: ChildrenMap<Message>;
  /** Goes up whenever another thread is shown, and not when this one grows: a key for what is to begin anew then. */
  readonly threadEpoch: number;
  /** The messages that are being written, wherever in the chat. One behind the end of the thread is shown there. */
  readonly drafts: readonly Draft[];
  /** What was to be said, and somebody was faster. */
  readonly conflicts: readonly Conflict[];
}

/** Words that were not saved, as the branch went on without them: somebody chooses what becomes of them. */
export interface Conflict {
  readonly id: string;
  readonly messages: readonly Message[];
  /** What was said meanwhile, root first; empty when the branch went elsewhere. */
  readonly newerMessages: readonly Message[];
  /** `append` saves them behind what is newer; `fork` on a branch of their own; `discard` does not. */
  readonly choices: readonly ConflictChoice[];
  resolve(choice: ConflictChoice): Promise<Outcome<readonly Message[]>>;
}

export type ConflictChoice = 'append' | 'fork' | 'discard';
