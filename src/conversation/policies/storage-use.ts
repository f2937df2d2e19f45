/** The storage quota: the bytes of chats and files of a user, limited by the server or, for one user, by an admin. */
import type { Chat } from '../model.js';

/** The share of the quota from which on users are warned. */
const NEAR = 0.8;

export interface StorageUse {
  /**
   * Bytes of the user's chats, with deleted ones that can be restored: titles, metadata, the data of messages and open
   * drafts. Bytes of the user's files.
   */
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

/** The bytes of the title and of the metadata within their braces: a chat without both has none. */
export function chatBytes({ title, metadata }: Pick<Chat, 'title' | 'metadata'>): number {
  return Buffer.byteLength(title ?? '') + Buffer.byteLength(metadata) - 2;
}

export function isNearQuota({ usedBytes, quotaBytes }: StorageUse): boolean {
  return quotaBytes !== null && usedBytes >= quotaBytes * NEAR;
}
