/** The storage quota: the bytes of chats and files of a user, limited by the server or, for one user, by an admin. */
import { RefusalError } from '../../conversation/errors.js';
import type { Chat } from '../../conversation/model.js';

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

/** The bytes of the title and of the metadata within their braces: a chat without both has none. */
export function chatBytes({ title, metadata }: Pick<Chat, 'title' | 'metadata'>): number {
  return Buffer.byteLength(title ?? '') + Buffer.byteLength(metadata) - 2;
}

export function isNearQuota({ usedBytes, quotaBytes }: StorageUse): boolean {
  return quotaBytes !== null && usedBytes >= quotaBytes * NEAR;
}

/** The owner of the chat stores too many bytes. */
export class StorageQuotaError extends RefusalError {
  readonly code = 'STORAGE_QUOTA_EXCEEDED';
  readonly status = 413;
  /** @param use of the owner, and the bytes that do not fit; null for another user, who must not learn it */
  constructor(readonly use: (StorageUse & { bytes: number }) | null) {
    const state =
      use === null
        ? 'The owner of the chat has no storage left'
        : `Chats and files use ${use.usedBytes} of ${use.quotaBytes} bytes${use.bytes > 1 ? `, and ${use.bytes} more do not fit` : ''}`;
    super(`${state}: delete chats or files, or ask an admin for more`);
  }
}
