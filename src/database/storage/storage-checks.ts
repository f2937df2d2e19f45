/** Checks of changes against the storage quotas. */
import type { LimitedUse, StorageRecords } from '../../conversation/policies/storage-use.js';

/** The use of a user must be read before a change. Thrown within its transaction, which runs again after the read. */
export class UnreadStorageError extends Error {
  constructor(readonly userId: string) {
    super(`The storage of user "${userId}" is not known`);
  }
}

export interface Addition {
  /** Of a file. A change of messages needs one free byte. */
  bytes?: number;
  /** The user of the change. The owner by default. */
  actorId?: string;
  /** Accepts a sum of any age: it was read for this change. */
  isRead?: boolean;
  /** The open drafts, read for this change. */
  draftBytes?: number;
}

export interface StorageChecks extends StorageRecords {
  /**
   * @returns null without quotas
   * @throws StorageQuotaError; UnreadStorageError when `use` must be called first
   */
  check(userId: string, addition?: Addition): LimitedUse | null;
  /**
   * The same, and reads the use first where needed.
   * @param bytes of a file
   * @throws StorageQuotaError
   */
  admit(userId: string, bytes?: number): Promise<LimitedUse | null>;
  /** Adds committed bytes to the known use of the owner. */
  add(userId: string, bytes: number): void;
  /** Removes an ended draft from the known use of the owner. */
  endDraft(userId: string, bytes: number): void;
  /** The next change reads the use of the user again. */
  forget(userId: string): void;
}
