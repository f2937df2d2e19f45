import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  OperationTypeNode,
  validate,
  type ASTVisitor,
  type DefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Limits } from '../../limits/limits.js';
import { checkDocument } from '../limits/document-limits.js';
import type { DocumentCache } from './document-cache.js';

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

/**
 * The errors of subscriptions whose only field has @skip or @include: without it there is nothing to subscribe to. GraphQL's
 * specification forbids it, and one of its rules throws when the condition is a variable.
 */
function checkSubscriptionRoot(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] {
  return document.definitions.some(isSubscription) ? validate(schema, document, [unconditionalRoot]) : [];
}

function isSubscription(definition: DefinitionNode): boolean {
  return definition.kind === Kind.OPERATION_DEFINITION && definition.operation === OperationTypeNode.SUBSCRIPTION;
}

function unconditionalRoot(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(operation) {
      if (isSubscription(operation)) checkRoot(operation.selectionSet, context, new Set());
      return false;
    },
  };
}

/** @param seen visited fragments: a fragment may spread itself */
function checkRoot({ selections }: SelectionSetNode, context: ValidationContext, seen: Set<string>): void {
  for (const selection of selections) {
    const condition = selection.directives?.find(({ name }) => name.value === 'skip' || name.value === 'include');
    if (condition !== undefined) {
      const message = `The root field of a subscription must not be left out: @${condition.name.value} is not allowed here.`;
      context.reportError(new GraphQLError(message, { nodes: condition }));
    }
    if (selection.kind === Kind.INLINE_FRAGMENT) checkRoot(selection.selectionSet, context, seen);
    if (selection.kind !== Kind.FRAGMENT_SPREAD || seen.has(selection.name.value)) continue;
    seen.add(selection.name.value);
    const fragment = context.getFragment(selection.name.value);
    if (fragment) checkRoot(fragment.selectionSet, context, seen);
  }
}
