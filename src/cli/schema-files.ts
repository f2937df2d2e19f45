/** The contract in the formats that tools read. */
import {
  introspectionFromSchema,
  isAbstractType,
  lexicographicSortSchema,
  printSchema,
  type GraphQLSchema,
} from 'graphql';

/** The text of schema.graphql. */
export function contractText(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}

/** The files of the package that configure the caches of frontends, as texts by their names. */
export function cacheFiles(schema: GraphQLSchema): Record<string, string> {
  const sorted = lexicographicSortSchema(schema);
  return {
    'possibleTypes.json': json(possibleTypes(sorted)),
    // Browsers load it: descriptions would double its size.
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
