import { countedFields } from './counted-fields.js';
import type { DocumentLimit } from './document-limit.js';
import type { Limits } from '../../limits/limits.js';

/** Fields of the root: each is a query or a mutation of its own. */
export function rootFieldLimit({ maxRootFields: bound }: Limits): DocumentLimit {
  return countedFields({ isCounted: ({ isRoot }) => isRoot, bound, name: 'root fields' });
}
