import type { DocumentNode, GraphQLError, GraphQLSchema } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Limits } from '../../limits/limits.js';
import { checkDocument } from '../limits/document-limits.js';
import type { DocumentCache } from './document-cache.js';
import { checkSubscriptionRoot } from './subscription-root.js';

type Validate = (schema: GraphQLSchema, document: DocumentNode, ...more: unknown[]) => readonly GraphQLError[];

/**
 * Refuses documents before GraphQL's own rules run, because the time of some rules is quadratic, and one throws. Valid
 * documents stay in the cache and are not checked again.
 */
export function useDocumentRules(limits: Limits, documents: DocumentCache): Plugin {
  return {
    onValidate({ validateFn, setValidationFn }) {
      const validate = validateFn as Validate;
      const validateWithinLimits: Validate = (schema, document, ...more) => {
        let errors = checkSubscriptionRoot(schema, document);
        if (errors.length === 0) errors = checkDocument(schema, document, limits);
        if (errors.length === 0) errors = validate(schema, document, ...more);
        // Errors can be larger than the document, and the cache would keep them.
        if (errors.length > 0 && document.loc !== undefined) documents.delete(document.loc.source.body);
        return errors;
      };
      setValidationFn(validateWithinLimits as typeof validateFn);
    },
  };
}
