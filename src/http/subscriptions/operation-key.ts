import { getOperationAST, Kind, print, visit, type DocumentNode, type OperationDefinitionNode } from 'graphql';
import type { Viewer } from '../../conversation/model.js';

/** A subscription as a client has sent it. */
export interface SubscriptionOperation {
  document: DocumentNode;
  operationName?: string | null | undefined;
  variableValues?: { readonly [name: string]: unknown } | null | undefined;
}

/** The same without what it does not use: variables that it does not declare, and whatever else was sent along. */
export function trimmed({ document, operationName, variableValues }: SubscriptionOperation): SubscriptionOperation {
  const names = getOperationAST(document, operationName)?.variableDefinitions?.map(
    ({ variable }) => variable.name.value,
  );
  // One that is absent has its default, and one that is null has not.
  const given = (names ?? []).filter((name) => variableValues != null && Object.hasOwn(variableValues, name));
  return {
    document,
    operationName,
    variableValues: Object.fromEntries(given.map((name) => [name, variableValues?.[name]])),
  };
}

/**
 * What two subscriptions have in common when their answers are the same from now on: the viewer, the document, the
 * operation, and its variables. Where each of them has begun does not matter any more, so the variable of `after` is left
 * out, if it is used for nothing else.
 * @param subscription trimmed, and of variables that are what their types say: others may nest too deep
 */
export function operationKey(viewer: Viewer, subscription: SubscriptionOperation): string {
  const { document, operationName, variableValues } = subscription;
  const operation = getOperationAST(document, operationName);
  const beginning = operation == null ? null : variableOfAfter(document, operation);
  const variables = Object.entries(variableValues ?? {})
    .filter(([name]) => name !== beginning)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const text = document.loc?.source.body ?? print(document);
  return JSON.stringify([viewer.userId, viewer.isAdmin, operationName ?? null, variables, text]);
}

/** The variable that is the root field's `after`, and nothing else; null when there is none. */
function variableOfAfter(document: DocumentNode, { selectionSet }: OperationDefinitionNode): string | null {
  const [field] = selectionSet.selections;
  if (field?.kind !== Kind.FIELD) return null;
  const value = field.arguments?.find((argument) => argument.name.value === 'after')?.value;
  if (value?.kind !== Kind.VARIABLE) return null;
  const name = value.name.value;
  let uses = 0;
  visit(document, {
    // Where it is declared, it is not used.
    VariableDefinition: () => false,
    Variable: (variable) => void (variable.name.value === name && uses++),
  });
  return uses === 1 ? name : null;
}
