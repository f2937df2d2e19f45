/** A plugin of GraphQL Code Generator: the part of the introspection that caches read, without arguments and descriptions. */
import {
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';

/** A cache treats every scalar and enum as a value. */
const VALUE = { kind: 'SCALAR', name: 'Any' };
/** The inferred type would be as long as the value. */
const TYPE =
  '{ __schema: { queryType: { name: string }; types: { kind: string; name: string; fields?: { name: string; type: object; args: [] }[]; [more: string]: unknown }[]; [root: string]: unknown } }';

/** @param {import('graphql').GraphQLSchema} schema */
export function plugin(schema) {
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => isCompositeType(type) && !type.name.startsWith('__'),
  );
  const rootOf = (type) => type && { name: type.name };
  const introspection = {
    __schema: {
      queryType: rootOf(schema.getQueryType()),
      mutationType: rootOf(schema.getMutationType()),
      subscriptionType: rootOf(schema.getSubscriptionType()),
      types: [...types.map((type) => describe(schema, type)), VALUE],
    },
  };
  return `/* eslint-disable */
// Written by GraphQL Code Generator from schema.graphql.
export const introspection: ${TYPE} = ${JSON.stringify(introspection)};
`;
}

function describe(schema, type) {
  return {
    ...nameOf(type),
    ...(!isUnionType(type) && {
      fields: Object.values(type.getFields()).map(({ name, type }) => ({ name, type: referenceTo(type), args: [] })),
      interfaces: type.getInterfaces().map(nameOf),
    }),
    ...(isAbstractType(type) && { possibleTypes: schema.getPossibleTypes(type).map(nameOf) }),
  };
}

function referenceTo(type) {
  if (isNonNullType(type)) return { kind: 'NON_NULL', ofType: referenceTo(type.ofType) };
  if (isListType(type)) return { kind: 'LIST', ofType: referenceTo(type.ofType) };
  return isCompositeType(type) ? nameOf(type) : VALUE;
}

function nameOf(type) {
  const kind = isObjectType(type) ? 'OBJECT' : isInterfaceType(type) ? 'INTERFACE' : 'UNION';
  return { kind, name: type.name };
}
