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
import './message/mutations.js';
import './branch/type.js';
import './branch/mutations.js';
import './branch/subscriptions.js';
import './checkpoint/type.js';
import './checkpoint/mutations.js';
import './event/type.js';
import './event/subscriptions.js';
import './search/queries.js';
import { builder } from './builder.js';
import { withCounts } from './limits/counted-schema.js';

const DESCRIPTION = `Conversations with models as graphs. Every message is an immutable node below its parent; a branch is a named head, and a
checkpoint a named bookmark.

Begin with \`chats\` or \`chat(id)\`. Read a thread with \`Chat.activeBranch\` and \`Branch.messages\`, other versions with \`Message.siblings\`, and
everything with \`Chat.graph\`. A mutation returns a union of its payload and its expected failures, which implement \`Error\`. Follow a branch
with \`branchHead\`, a chat with \`chatEvents\`, and a message that is being written with \`draft\`.`;

/**
 * Call it after the import of all features, once.
 * @param wrap adds what features do with all fields
 */
export function createSchema(wrap: (schema: GraphQLSchema) => GraphQLSchema): GraphQLSchema {
  const schema = withCounts(wrap(builder.toSchema()));
  schema.description = DESCRIPTION;
  return schema;
}
