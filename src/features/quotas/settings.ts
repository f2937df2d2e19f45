/** The settings of storage quotas. */
import { numberWithin, setting } from '../../settings/declare-setting.js';

const quotaBytes = numberWithin(0, Number.MAX_SAFE_INTEGER).transform((bytes) => (bytes === 0 ? null : bytes));

export const quotaSettings = {
  /** Bytes of chats and files of each user; null without a limit. See docs/limits.md. @default null */
  storageQuotaBytes: setting('STORAGE_QUOTA_BYTES', quotaBytes, { byDefault: null, shown: '0' }).means(
    'Bytes of the chats and files of each user: see [Storage quotas](limits.md#storage-quotas); `0` for no quota',
  ),
};
