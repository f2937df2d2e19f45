/** A message that is still being written: where it is to go, how far it has come, and its bounds. */
import { NotFoundError, RuleError } from '../errors.js';
import type { ConflictPolicy } from '../model.js';

/** Chunks of one append. */
export const MAX_CHUNKS_PER_APPEND = 500;
/** And their bytes of UTF-8 as JSON. */
export const MAX_BYTES_PER_APPEND = 256 * 1024;
/** Chunks of a draft. */
export const MAX_CHUNKS = 100_000;
/** And their bytes. */
export const MAX_DRAFT_BYTES = 8 * 1024 * 1024;
/** Drafts that a chat may have at a time. */
export const MAX_DRAFTS = 8;
/** Seconds without an append after which a draft counts as abandoned. */
export const IDLE_TIMEOUT = { default: 60, least: 10, most: 3_600 };

/**
 * Whether a draft makes a branch of its own the active one:
 * - `AT_CONTENT`: with its first content, if the active branch and its head are as requested;
 * - `AT_END`: under the same condition, when it is finished and its branch has moved on;
 * - `DONE`: its first content did;
 * - `NEVER`: the active branch had changed at the first content.
 */
export type DraftActivation = 'AT_CONTENT' | 'AT_END' | 'DONE' | 'NEVER';

/** The names of a draft: its chat, and its id there. */
export interface DraftKey {
  chatId: string;
  id: string;
}

export interface Draft {
  /** The id of the message that it becomes. */
  readonly id: string;
  readonly chatId: string;
  /** The branch that it goes to, which may have been deleted since; of a finished one, the branch that it went to. */
  readonly branchId: string;
  /** The message that it goes behind; null for a root. */
  readonly parentId: string | null;
  /** What happens when the branch has moved on; PARENT: it goes behind the parent, wherever the branch is. */
  readonly onConflict: ConflictPolicy | 'PARENT';
  readonly name: string;
  /** JSON that goes with it; null for none. */
  readonly metadata: string | null;
  /** In seconds. */
  readonly idleTimeout: number;
  readonly startedBy: string;
  readonly startedAt: number;
  /** When it last grew, or began. */
  readonly updatedAt: number;
  /** How many chunks it has had. */
  readonly length: number;
  /** And their bytes as JSON. */
  readonly bytes: number;
  /** Who has asked its writer to stop. */
  readonly stoppedBy: string | null;
  /** When it was finished or discarded. It is not there any more, but for those who are yet to be told. */
  readonly endedAt: number | null;
  /** The message that it became, when it was finished. */
  readonly messageId: string | null;
  /** Null for a draft of an older version: a branch that it makes when it is finished becomes active. */
  readonly activation: DraftActivation | null;
  /** The branch that was active when it was requested. */
  readonly requestedBranchId: string | null;
  /** The head of that branch. */
  readonly requestedHeadId: string | null;
}

/** A draft as its followers need it: its metadata may be long. */
export type DraftStanding = Omit<Draft, 'metadata'>;

export type DraftState = 'WRITING' | 'STOPPING' | 'ABANDONED';

/** Which draft it is: when one was discarded, another may begin under its id. */
export type DraftIdentity = Pick<Draft, 'id' | 'startedAt'>;

/** @param now milliseconds since 1970 */
export function draftState({ updatedAt, idleTimeout, stoppedBy }: DraftStanding, now: number): DraftState {
  if (now - updatedAt > idleTimeout * 1000) return 'ABANDONED';
  return stoppedBy === null ? 'WRITING' : 'STOPPING';
}

/** The chunks of one append, as they are kept. */
export interface DraftPiece {
  /** How many chunks the draft had before. */
  readonly startOffset: number;
  /** How many it has with these. */
  readonly endOffset: number;
  /** A JSON array. */
  readonly chunks: string;
}

/** A draft as it is to be, and what it has grown by. */
export interface DraftNote {
  draft: Draft;
  piece?: DraftPiece | undefined;
  /** Whether followers see no difference. */
  isUnnoticed?: boolean;
}

/** The writer has sent what comes behind a gap. */
export class DraftOffsetError extends RuleError {
  readonly code = 'INVALID_INPUT';
  constructor(
    offset: number,
    /** How many chunks there are: where the writer is to go on. */
    readonly length: number,
  ) {
    super(`offset is ${offset}, but the draft has ${length} chunk${length === 1 ? '' : 's'}`);
  }
}

export function draftNotFound({ chatId, id }: { chatId: string; id: string }): NotFoundError {
  return new NotFoundError(`Draft "${id}" not found in chat "${chatId}"`);
}
