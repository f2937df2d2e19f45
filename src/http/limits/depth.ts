import type { DocumentLimit } from './document-limit.js';
import type { Limits } from '../../limits/limits.js';
import type { VisitedField } from './document-limit.js';

/** Fields within fields. Those of introspection do not count: graphql has a rule of its own for them. */
export function depthLimit({ maxDepth }: Limits): DocumentLimit {
  let deepest: VisitedField | null = null;
  return {
    enterField(field) {
      if (field.depth > (deepest?.depth ?? 0)) deepest = field;
    },
    excess: () =>
      deepest !== null && deepest.depth > maxDepth
        ? { what: `nests fields ${deepest.depth} levels deep`, bound: maxDepth, node: deepest.node }
        : null,
  };
}
