/** The settings of deletion. */
import { wholeNumber } from '../../settings/declare-setting.js';

export const deletionSettings = {
  /** Days that deleted chats can be restored; 0 removes them at once. @default 7 */
  recoveryDays: wholeNumber('RECOVERY_DAYS', 0, 365, 7).means(
    'Days that [deleted chats](administration/deletion.md) can be restored, up to 365; `0` removes them at once',
  ),
  /** Days that the id, owner and actor of a deleted chat are kept, for subscribers that reconnect. @default 30 */
  deletionRecordDays: wholeNumber('DELETION_RECORD_DAYS', 1, 3650, 30).means(
    'How long the [record of a deleted chat](administration/deletion.md#what-remains) is kept for clients that reconnect, up to 3,650 days',
  ),
};
