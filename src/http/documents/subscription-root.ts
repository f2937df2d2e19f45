import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  validate,
  type ASTVisitor,
  type DefinitionNode,
  type DocumentNode,
  type GraphQLSchema,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';

/**
 * The errors of subscriptions whose only field has @skip or @include: without it there is nothing to subscribe to. GraphQL's
 * specification forbids it, and one of its rules throws when the condition is a variable.
 */
export function checkSubscriptionRoot(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] {
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
