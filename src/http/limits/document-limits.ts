import {
  GraphQLError,
  Kind,
  NoFragmentCyclesRule,
  UniqueFragmentNamesRule,
  validate as validateDocument,
  type ASTNode,
  type DirectiveNode,
  type DocumentNode,
  type GraphQLSchema,
  type ValidationRule,
} from 'graphql';
import { MAX_VISITS } from '../../graphql/limits/collected-fields.js';
import type { Limits } from '../../limits/limits.js';
import { measureDocument, type DocumentMeasures } from './document-measures.js';

/** Directives at one place. GraphQL defines two for fields; validation returns an error for each excess one. */
const MAX_DIRECTIVES_PER_PLACE = 4;

/** The limit and the wording of each measure, in the order of their errors. */
const LIMITS = [
  ['depth', 'maxDepth', (value) => `nests fields ${value} levels deep`],
  ['listDepth', 'maxListDepth', (value) => `nests lists ${value} levels deep`],
  ['aliases', 'maxAliases', (value) => `has ${value} aliases`],
  ['rootFields', 'maxRootFields', (value) => `has ${value} root fields`],
  ['selections', 'maxSelections', (value) => `has ${value} selections of one object`],
] as const satisfies readonly [keyof DocumentMeasures, keyof Limits, (value: number) => string][];

/** The limits that a document exceeds, as errors with code DOCUMENT_LIMIT_EXCEEDED; or its fragment cycles and repeated names. */
export function checkDocument(schema: GraphQLSchema, document: DocumentNode, limits: Limits): readonly GraphQLError[] {
  const excesses: GraphQLError[] = [];
  const countDirectives = directiveCount(limits, (error) => excesses.push(error));
  // Measuring follows fragments, which must not contain themselves; the rule checks one fragment of each name.
  const endless = validateDocument(schema, document, [countDirectives, NoFragmentCyclesRule, UniqueFragmentNamesRule]);
  if (excesses.length > 0) return excesses;
  if (endless.length > 0) return endless;
  const measures = measureDocument(schema, document);
  if (measures.visits !== undefined) {
    const excess = `selects more than ${MAX_VISITS} fields, counting fragments at each use`;
    return [documentLimitExceeded(excess, MAX_VISITS, measures.visits.node)];
  }
  return LIMITS.flatMap(([measure, limit, describe]) => {
    const peak = measures[measure];
    if (peak === undefined || peak.value <= limits[limit]) return [];
    return [documentLimitExceeded(describe(peak.value), limits[limit], peak.node)];
  });
}

/** Counts the directives of a document as it is written, and those at each place. */
function directiveCount({ maxDirectives }: Limits, report: (error: GraphQLError) => void): ValidationRule {
  return () => {
    let total = 0;
    let most: readonly DirectiveNode[] = [];
    let last: ASTNode | undefined;
    return {
      enter(node) {
        const directives = 'directives' in node ? (node.directives ?? []) : [];
        total += directives.length;
        last = directives.at(-1) ?? last;
        if (directives.length > most.length) most = directives;
      },
      leave(node) {
        if (node.kind !== Kind.DOCUMENT) return;
        const [first] = most;
        if (last !== undefined && total > maxDirectives) {
          report(documentLimitExceeded(`has ${total} directives`, maxDirectives, last));
        } else if (first !== undefined && most.length > MAX_DIRECTIVES_PER_PLACE) {
          const excess = `has ${most.length} directives at one place`;
          report(documentLimitExceeded(excess, MAX_DIRECTIVES_PER_PLACE, first));
        }
      },
    };
  };
}

/** @param excess the measure with its value, such as "has 51 aliases" */
function documentLimitExceeded(excess: string, limit: number, node: ASTNode): GraphQLError {
  return new GraphQLError(`The document ${excess}: no more than ${limit} are allowed`, {
    nodes: node,
    extensions: { code: 'DOCUMENT_LIMIT_EXCEEDED', limit, http: { spec: true, status: 400 } },
  });
}
