import type { DocumentLimit } from './document-limit.js';
import type { Limits } from './limits.js';
import type { VisitedField } from './selection-walk.js';

/** Fields of the root: each is a query or a mutation of its own. */
export function rootFieldLimit({ maxRootFields }: Limits): DocumentLimit {
  let count = 0;
  let most = 0;
  let last: VisitedField | null = null;
  return {
    enterDefinition() {
      count = 0;
    },
    enterField(field) {
      if (!field.isRoot || ++count <= most) return;
      most = count;
      last = field;
    },
    excess: () =>
      last !== null && most > maxRootFields
        ? { what: `has ${most} root fields`, bound: maxRootFields, node: last.node }
        : null,
  };
}
