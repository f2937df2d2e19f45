import { getOperationAST, Kind, print, visit, type DocumentNode, type OperationDefinitionNode } from 'graphql';
import type { Viewer } from '../../conversation/model.js';

/** An operation as a client sent it. */
export interface SubscriptionOperation {
  document: DocumentNode;
  operationName?: string | null | undefined;
  variableValues?: { readonly [name: string]: unknown } | null | undefined;
}

/**
 * The key under which subscriptions share their answers: the viewer, the document, the operation and its variables.
 * Positions differ between clients, so the variable of `after` is left out unless it is also used elsewhere.
 * @param subscription with declared variables that match their types: others may nest too deeply
 */
export function operationKey(viewer: Viewer, subscription: SubscriptionOperation): string {
  const { document, operationName, variableValues } = subscription;
  const operation = getOperationAST(document, operationName);
  const beginning = operation == null ? null : variableOfAfter(document, operation);
  const variables = Object.entries(variableValues ?? {})
    .filter(([name]) => name !== beginning)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const text = document.loc?.source.body ?? print(document);
  const { userId, isAdmin, accessToken } = viewer;
  return JSON.stringify([userId, isAdmin, accessToken?.id ?? null, operationName ?? null, variables, text]);
}

/** The variable used only as the root field's `after`; null when there is none. */
function variableOfAfter(document: DocumentNode, { selectionSet }: OperationDefinitionNode): string | null {
  const [field] = selectionSet.selections;
  if (field?.kind !== Kind.FIELD) return null;
  const value = field.arguments?.find((argument) => argument.name.value === 'after')?.value;
  if (value?.kind !== Kind.VARIABLE) return null;
  const name = value.name.value;
  let uses = 0;
  visit(document, {
    // The definition is not a use.
    VariableDefinition: () => false,
    Variable: (variable) => void (variable.name.value === name && uses++),
  });
  return uses === 1 ? name : null;
}
