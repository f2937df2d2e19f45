/** The schema: every type, query, mutation and subscription is in the folder of its domain or feature. */
import type { GraphQLSchema } from 'graphql';
import './scalars.js';
import './errors.js';
import './node/queries.js';
import './viewer/type.js';
import './chat/type.js';
import './chat/compare.js';
import './chat/queries.js';
import './chat/mutations.js';
import './chat/subscriptions.js';
import './message/type.js';
import './message/queries.js';
import './message/mutations.js';
import './branch/type.js';
import './branch/context.js';
import './branch/mutations.js';
import './branch/subscriptions.js';
import './checkpoint/type.js';
import './checkpoint/mutations.js';
import './event/type.js';
import './event/subscriptions.js';
import './search/queries.js';
import './user/queries.js';
import { builder } from './builder.js';
import { withCounts } from './limits/counted-schema.js';

/**
 * Call it after the import of all features, once.
 * @param wrap adds what features do with all fields
 */
export function createSchema(wrap: (schema: GraphQLSchema) => GraphQLSchema): GraphQLSchema {
  return withCounts(wrap(builder.toSchema()));
}
