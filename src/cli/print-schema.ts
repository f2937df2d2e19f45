/** Prints the schema as SDL: `npm run schema` keeps it in schema.graphql. */
import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../graphql/schema.js';

console.log(printSchema(lexicographicSortSchema(schema)));
