import {
  GraphQLError,
  NoFragmentCyclesRule,
  validate as validateDocument,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { aliasLimit } from './aliases.js';
import { depthLimit } from './depth.js';
import { excessDirectives } from './directives.js';
import { documentLimitExceeded } from './document-limit.js';
import type { Limits } from '../../limits/limits.js';
import { listDepthLimit } from './list-depth.js';
import { rootFieldLimit } from './root-fields.js';
import { walkSelections } from './selection-walk.js';
import { selectionLimit } from './selections.js';

type Validate = (schema: GraphQLSchema, document: DocumentNode, ...more: unknown[]) => readonly GraphQLError[];

/**
 * Refuses documents that ask for too much, before GraphQL's own rules look at them: some of those take a time that grows
 * with the square of a document. That nothing was found is kept with the document, as it is of those rules.
 */
export function useDocumentLimits(limits: Limits): Plugin {
  return {
    onValidate({ validateFn, setValidationFn }) {
      const validate = validateFn as Validate;
      const validateWithinLimits: Validate = (schema, document, ...more) => {
        const errors = checkDocument(schema, document, limits);
        return errors.length > 0 ? errors : validate(schema, document, ...more);
      };
      setValidationFn(validateWithinLimits as typeof validateFn);
    },
  };
}

/** What is wrong with the extent of a document; empty when it is within the limits. */
export function checkDocument(schema: GraphQLSchema, document: DocumentNode, limits: Limits): readonly GraphQLError[] {
  const directives = excessDirectives(document, limits);
  if (directives.length > 0) return directives.map(documentLimitExceeded);
  // A rule of GraphQL's own, alone and first: there would be no end to the walk.
  const cycles = validateDocument(schema, document, [NoFragmentCyclesRule]);
  if (cycles.length > 0) return cycles;
  const all = [depthLimit, listDepthLimit, aliasLimit, rootFieldLimit, selectionLimit].map((limit) => limit(limits));
  try {
    walkSelections(schema, document, all);
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
  return all.map((limit) => limit.excess()).flatMap((excess) => (excess === null ? [] : documentLimitExceeded(excess)));
}
