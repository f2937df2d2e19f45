/** The state of a ThreadStore. Each change creates a new object; unchanged members stay the same. */
import type { ParleyError } from '@parley/transport/errors';
import type { Draft } from '../drafts/chat-drafts.js';
import type { ChildrenMap } from '../tree/tree.js';
import type { Branch, ChatInfo, Checkpoint } from './chat-record.js';
import type { Status } from './live-chat.js';
import type { Message } from '../message.js';
import type { Outcome } from '../outcome.js';

export interface ThreadState {
  readonly chatId: string;
  readonly status: Status;
  /** The reason of the status `away`, `refused`, `gone` or `failed`. */
  readonly error: ParleyError | null;
  /** The `seq` of the last event in this state; 0 before the first read. */
  readonly version: number;
  /** Null before the first read. */
  readonly chat: ChatInfo | null;
  /** The messages of the shown thread that were read, root first. */
  readonly thread: readonly Message[];
  /** Whether `loadOlder` can read messages above the first one. */
  readonly hasOlder: boolean;
  /** Whether `loadNewer` can read messages below the last one, after a jump. */
  readonly hasNewer: boolean;
  /** Whether messages of the thread are being read. */
  readonly isLoading: boolean;
  /** The id of the thread's last message, read or not; null for an empty thread. */
  readonly leafId: string | null;
  /** The shown branch; null while a version without a branch is shown. */
  readonly branch: Branch | null;
  /** Oldest first. */
  readonly branches: readonly Branch[];
  /** Newest first. */
  readonly checkpoints: readonly Checkpoint[];
  /** All messages that were read, on every branch, in the order of saving. */
  readonly allMessages: readonly Message[];
  /** The children of each message: always the same map, with a new list after a child is added. */
  readonly childrenMap: ChildrenMap<Message>;
  /** Increases when another thread is shown, not when the thread grows: a key that remounts components. */
  readonly threadEpoch: number;
  /** The drafts of the whole chat. A draft after the end of the thread is shown there. */
  readonly drafts: readonly Draft[];
  /** Messages that were not saved because of newer messages. */
  readonly conflicts: readonly Conflict[];
}

/** Messages that were not saved because their branch has moved: the user chooses a resolution. */
export interface Conflict {
  readonly id: string;
  readonly messages: readonly Message[];
  /** The newer messages, root first; empty when the branch was moved elsewhere. */
  readonly newerMessages: readonly Message[];
  /** `append` saves the messages after the newer ones, `fork` on a new branch; `discard` drops them. */
  readonly choices: readonly ConflictChoice[];
  resolve(choice: ConflictChoice): Promise<Outcome<readonly Message[]>>;
}

export type ConflictChoice = 'append' | 'fork' | 'discard';

/** A resolution for every conflict that offers it, or `ask`: the user chooses. */
export type OnConflict = ConflictChoice | 'ask';
