import { getOperationAST } from 'graphql';
import type { Operation } from './cost.js';

/** Deletes variables that the operation does not declare: they are never read and would stay in memory while it runs. */
export function dropUndeclared({
  document,
  operationName,
  variableValues,
}: Pick<Operation, 'document' | 'operationName' | 'variableValues'>): void {
  const declared = getOperationAST(document, operationName)?.variableDefinitions ?? [];
  const names = new Set<string>();
  for (const { variable } of declared) names.add(variable.name.value);
  for (const name of Object.keys(variableValues ?? {})) {
    if (!names.has(name)) Reflect.deleteProperty(variableValues ?? {}, name);
  }
}
