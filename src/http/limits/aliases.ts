import { countedFields } from './counted-fields.js';
import type { DocumentLimit } from './document-limit.js';
import type { Limits } from '../../limits/limits.js';

/** Aliases of an operation: with them one document asks for the same thing any number of times. */
export function aliasLimit({ maxAliases: bound }: Limits): DocumentLimit {
  return countedFields({ isCounted: ({ isAliased }) => isAliased, bound, name: 'aliases' });
}
