import type { DocumentLimit } from './document-limit.js';
import type { Limits } from '../../limits/limits.js';
import type { VisitedField } from './document-limit.js';

/** Lists of objects within lists of objects: each multiplies what there is to return. */
export function listDepthLimit({ maxListDepth }: Limits): DocumentLimit {
  let deepest: VisitedField | null = null;
  return {
    enterField(field) {
      if (field.listDepth > (deepest?.listDepth ?? 0)) deepest = field;
    },
    excess: () =>
      deepest !== null && deepest.listDepth > maxListDepth
        ? { what: `nests lists ${deepest.listDepth} levels deep`, bound: maxListDepth, node: deepest.node }
        : null,
  };
}
