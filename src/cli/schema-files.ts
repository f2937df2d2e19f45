/** The contract, in the forms in which tools take it. */
import {
  introspectionFromSchema,
  isAbstractType,
  lexicographicSortSchema,
  printSchema,
  type GraphQLSchema,
} from 'graphql';

/** The files that tell a schema, as texts by their names. */
export function schemaFiles(schema: GraphQLSchema): Record<string, string> {
  const sorted = lexicographicSortSchema(schema);
  return {
    'schema.graphql': `${printSchema(sorted)}\n`,
    'possibleTypes.json': json(possibleTypes(sorted)),
    // Frontends put it into what browsers load.
    'introspection.json': json(introspectionFromSchema(sorted, { descriptions: false })),
  };
}

/** The members of each interface and union, as Apollo's InMemoryCache takes them. */
function possibleTypes(schema: GraphQLSchema): Record<string, string[]> {
  const types = Object.values(schema.getTypeMap()).filter(isAbstractType);
  return Object.fromEntries(types.map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]));
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}
