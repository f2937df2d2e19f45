import { visit, type ASTNode, type DirectiveNode, type DocumentNode } from 'graphql';
import type { Excess } from './document-limit.js';
import type { Limits } from '../../limits/limits.js';

/** Directives at one place: there are two that a field can have. Each that is wrong would be an error of its own. */
const MAX_AT_ONE_PLACE = 4;

/** The directives of a document as it is written, and those of each place in it. */
export function excessDirectives(document: DocumentNode, { maxDirectives }: Limits): Excess[] {
  let total = 0;
  let most: readonly DirectiveNode[] = [];
  let last: ASTNode | undefined;
  visit(document, {
    enter(node) {
      const directives = 'directives' in node ? (node.directives ?? []) : [];
      total += directives.length;
      last = directives.at(-1) ?? last;
      if (directives.length > most.length) most = directives;
    },
  });
  const [first] = most;
  if (last !== undefined && total > maxDirectives) {
    return [{ what: `has ${total} directives`, bound: maxDirectives, node: last }];
  }
  if (first === undefined || most.length <= MAX_AT_ONE_PLACE) return [];
  return [{ what: `has ${most.length} directives at one place`, bound: MAX_AT_ONE_PLACE, node: first }];
}
