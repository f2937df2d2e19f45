import type { ConversationReads } from '../../conversation/reads.js';
import type { ReadPathPage } from '../../conversation/shares/shared-path.js';
import { found } from '../loading/references.js';

/** Reads a path page by page, without the loaders, which would keep all of its pages until the end of the operation. */
export function pathReader(reads: Pick<ConversationReads, 'pathPages'>): ReadPathPage {
  return async (path, page) => found((await reads.pathPages([path], page))[0] ?? null, 'The path');
}
