import type { AbstractReturnShape, ObjectParam, ObjectRef, ParentShape, UnionRef } from '@pothos/core';
import { builder, type Types } from './builder.js';

/** Named for the declarations of the package, which cannot name its members. */
type Union<Member extends ObjectParam<Types>> = UnionRef<
  Types,
  AbstractReturnShape<Types, Member>,
  ParentShape<Types, Member>
>;

/**
 * The union of a payload and of the expected failures of its mutations.
 * @param payload its name begins with that of the union, and with the mutation unless `of` names others
 */
export function resultUnion<T, Failure extends ObjectParam<Types>>(
  payload: ObjectRef<Types, T>,
  failures: readonly Failure[],
  of?: string,
): Union<ObjectRef<Types, T> | Failure> {
  const name = payload.name.replace(/Payload$/, '');
  return builder.errorUnion(`${name}Result`, {
    description: `Result of ${of ?? name.charAt(0).toLowerCase() + name.slice(1)}.`,
    types: [payload, ...failures],
    resolveType: () => payload,
  });
}
