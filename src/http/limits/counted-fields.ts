import type { DocumentLimit } from './document-limit.js';
import type { VisitedField } from './document-limit.js';

export interface CountedFields {
  isCounted(field: VisitedField): boolean;
  bound: number;
  /** What they are: "aliases". */
  name: string;
}

/** A limit on how many fields of a kind an operation has. */
export function countedFields({ isCounted, bound, name }: CountedFields): DocumentLimit {
  let count = 0;
  let most = 0;
  let last: VisitedField | null = null;
  return {
    enterDefinition() {
      count = 0;
    },
    enterField(field) {
      if (!isCounted(field) || ++count <= most) return;
      most = count;
      last = field;
    },
    excess: () => (last !== null && most > bound ? { what: `has ${most} ${name}`, bound, node: last.node } : null),
  };
}
