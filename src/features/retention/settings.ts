/** The setting of retention. */
import { wholeNumber } from '../../settings/declare-setting.js';

export const retentionSettings = {
  /**
   * Days after the last change of a chat until it is deleted; 0 keeps chats. See docs/administration/retention.md.
   * @default 0
   */
  retentionDays: wholeNumber('RETENTION_DAYS', 0, 36_500, 0).means(
    'Days after its last change in which a chat is [deleted](administration/retention.md), up to 36,500; `0` keeps chats',
  ),
};
