/** A plugin of GraphQL Code Generator: the object types of each interface and union, for caches. */
import { isAbstractType } from 'graphql';

/** @param {import('graphql').GraphQLSchema} schema */
export function plugin(schema) {
  const abstractTypes = Object.values(schema.getTypeMap()).filter(isAbstractType);
  const possibleTypes = Object.fromEntries(
    abstractTypes.map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]),
  );
  return `/* eslint-disable */
// Written by GraphQL Code Generator from schema.graphql.
export const possibleTypes = ${JSON.stringify(possibleTypes)};
`;
}
