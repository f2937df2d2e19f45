/** The storage quota: the bytes of messages and files of a user, limited by the server or, for one user, by an admin. */

/** The share of the quota from which on users are warned. */
const NEAR = 0.8;

export interface StorageUse {
  /** Bytes of the data of messages in the user's chats, with deleted ones that can be restored, and of the user's files. */
  readonly usedBytes: number;
  /** Null without a quota. */
  readonly quotaBytes: number | null;
}

export interface LimitedUse extends StorageUse {
  readonly quotaBytes: number;
}

export interface StorageRecords {
  /** The quota of users without one of their own; null without quotas. */
  readonly quotaBytes: number | null;
  /** The use of a user as stored now. */
  use(userId: string): Promise<StorageUse>;
  /** Sets the quota of a user; null removes it. Other servers learn of it within a minute. */
  setQuota(userId: string, quotaBytes: number | null): Promise<void>;
}

export function isNearQuota({ usedBytes, quotaBytes }: StorageUse): boolean {
  return quotaBytes !== null && usedBytes >= quotaBytes * NEAR;
}
