import type { DocumentLimit } from './document-limit.js';
import type { Limits } from './limits.js';
import type { VisitedField } from './selection-walk.js';

/** Aliases of an operation: with them one document asks for the same thing any number of times. */
export function aliasLimit({ maxAliases }: Limits): DocumentLimit {
  let count = 0;
  let most = 0;
  let last: VisitedField | null = null;
  return {
    enterDefinition() {
      count = 0;
    },
    enterField(field) {
      if (!field.isAliased || ++count <= most) return;
      most = count;
      last = field;
    },
    excess: () =>
      last !== null && most > maxAliases ? { what: `has ${most} aliases`, bound: maxAliases, node: last.node } : null,
  };
}
