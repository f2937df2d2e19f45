import type { ObjectParam, ObjectRef } from '@pothos/core';
import { builder } from './builder.js';

type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;

/**
 * The union of a payload and of the expected failures of its mutations.
 * @param payload its name begins with that of the union, and with the mutation unless `of` names others
 */
export function resultUnion<T, Failure extends ObjectParam<Types>>(
  payload: ObjectRef<Types, T>,
  failures: readonly Failure[],
  of?: string,
) {
  const name = payload.name.replace(/Payload$/, '');
  return builder.errorUnion(`${name}Result`, {
    description: `Result of ${of ?? name.charAt(0).toLowerCase() + name.slice(1)}.`,
    types: [payload, ...failures],
    resolveType: () => payload,
  });
}
