import type { ASTNode } from 'graphql';
import type { DocumentLimit } from './document-limit.js';
import type { Limits } from '../../limits/limits.js';

/** Selections of one object, repeated ones included: validation compares each with each. */
export function selectionLimit({ maxSelections }: Limits): DocumentLimit {
  let most = 0;
  let largest: ASTNode | null = null;
  return {
    enterSelections(count, node) {
      if (count <= most) return;
      most = count;
      largest = node;
    },
    excess: () =>
      largest !== null && most > maxSelections
        ? { what: `has ${most} selections of one object`, bound: maxSelections, node: largest }
        : null,
  };
}
