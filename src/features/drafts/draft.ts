/** An unfinished message: its target, its progress and its bounds. */
import { NotFoundError, RuleError } from '../../conversation/errors.js';
import type { Branch, ConflictPolicy } from '../../conversation/model.js';

/** Chunks per append. */
export const MAX_CHUNKS_PER_APPEND = 500;
/** The size of an append's chunks as JSON, in bytes of UTF-8. */
export const MAX_BYTES_PER_APPEND = 256 * 1024;
/** Chunks per draft. */
export const MAX_CHUNKS_PER_DRAFT = 100_000;
/** The size of a draft's chunks as JSON, in bytes of UTF-8. */
export const MAX_DRAFT_BYTES = 8 * 1024 * 1024;
/** Open drafts per chat. */
export const MAX_DRAFTS = 8;
/** Seconds without an append after which a draft counts as abandoned. */
export const IDLE_TIMEOUT_SECONDS = { default: 60, least: 10, most: 3_600 };

/**
 * When a draft's own branch becomes active:
 * - `AT_CONTENT`: with its first content, if the active branch and its head are as requested;
 * - `AT_END`: under the same condition, when it is finished and its branch has moved on;
 * - `DONE`: already active since its first content;
 * - `NEVER`: the active branch had changed before the first content, or a COMMENTER started it.
 */
export type DraftActivation = 'AT_CONTENT' | 'AT_END' | 'DONE' | 'NEVER';

/** The key of a draft: its chat, and its id there. */
export interface DraftKey {
  chatId: string;
  id: string;
}

export interface Draft {
  /** The id of the message that it becomes. */
  readonly id: string;
  readonly chatId: string;
  /** The target branch, possibly deleted since; for a finished draft, the branch of its message. */
  readonly branchId: string;
  /** The parent of its message; null for a root. */
  readonly parentId: string | null;
  /** The reaction when the branch has moved on. PARENT: append after the parent regardless. */
  readonly onConflict: ConflictPolicy | 'PARENT';
  readonly name: string;
  /** The writer's JSON; null for none. */
  readonly metadata: string | null;
  /** In seconds. */
  readonly idleTimeout: number;
  readonly startedBy: string;
  readonly startedAt: number;
  /** The time of the last append, or of the start. */
  readonly updatedAt: number;
  /** The number of chunks. */
  readonly length: number;
  /** The size of the chunks as JSON, in bytes. */
  readonly bytes: number;
  /** The user that requested a stop. */
  readonly stoppedBy: string | null;
  /** The time when it was finished or discarded. The row is kept until subscribers are notified. */
  readonly endedAt: number | null;
  /** The message that it became when finished. */
  readonly messageId: string | null;
  /** Null for a draft of an older version: a branch created at its end becomes active. */
  readonly activation: DraftActivation | null;
  /** The active branch when it was started. */
  readonly requestedBranchId: string | null;
  /** The head of that branch. */
  readonly requestedHeadId: string | null;
}

/** A draft after a change. */
export interface ChangedDraft extends Draft {
  /** As in BranchOutcome; absent when the change cannot activate a branch. */
  readonly previousActiveBranch?: Branch | null;
}

/** A draft as its subscribers need it, without its metadata, which may be long. */
export type DraftStanding = Omit<Draft, 'metadata'>;

export type DraftState = 'WRITING' | 'STOPPING' | 'ABANDONED';

/** Distinguishes a draft from a later one with the same id. */
export type DraftIdentity = Pick<Draft, 'chatId' | 'id' | 'startedAt'>;

/** @param now milliseconds since 1970 */
export function draftState({ updatedAt, idleTimeout, stoppedBy }: DraftStanding, now: number): DraftState {
  if (now - updatedAt > idleTimeout * 1000) return 'ABANDONED';
  return stoppedBy === null ? 'WRITING' : 'STOPPING';
}

/** The stored chunks of one append. */
export interface DraftPiece {
  /** The number of chunks before these. */
  readonly startOffset: number;
  /** The number of chunks including these. */
  readonly endOffset: number;
  /** A JSON array. */
  readonly chunks: string;
}

/** The new state of a draft, and its new chunks. */
export interface DraftNote {
  draft: Draft;
  piece?: DraftPiece | undefined;
  /** Whether subscribers need no notification. */
  isUnnoticed?: boolean;
}

/** A piece written in this process, with its draft. */
export interface Growth {
  readonly draft: DraftStanding;
  readonly piece: DraftPiece;
}

/** The chunks sent begin after the end of the draft. */
export class DraftOffsetError extends RuleError {
  readonly code = 'INVALID_INPUT';
  constructor(
    offset: number,
    /** The number of chunks: the offset to continue at. */
    readonly length: number,
  ) {
    super(`offset is ${offset}, but the draft has ${length} chunk${length === 1 ? '' : 's'}`);
  }
}

export function draftNotFound({ chatId, id }: { chatId: string; id: string }): NotFoundError {
  return new NotFoundError(`Draft "${id}" not found in chat "${chatId}"`);
}
