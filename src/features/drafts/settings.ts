/** The settings of drafts. */
import { wholeNumber } from '../../settings/declare-setting.js';

export const draftSettings = {
  /** Milliseconds without an append after which a draft is finished with its present content. @default a day */
  draftExpiryMs: wholeNumber('DRAFT_EXPIRY_MS', 60_000, 31_536_000_000, 86_400_000).means(
    'Time without writes after which a draft is saved as it is',
  ),
};
