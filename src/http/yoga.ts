import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import type { Viewer } from '../conversation/model.js';
import type { ConversationReads } from '../conversation/reads.js';
import type { ConversationStore } from '../conversation/store.js';
import { createContext, type Context } from '../graphql/context.js';
import { schema } from '../graphql/schema.js';
import { useDocumentLimits } from './document-limits.js';
import { useCheckedGetParameters } from './get-parameters.js';
import { useGraphiQL } from './graphiql.js';
import { useJsonOnly } from './json-only.js';
import { createErrorMask } from './masked-errors.js';
import { usePlainLists } from './plain-lists.js';

export interface YogaOptions {
  store: ConversationStore;
  reads: ConversationReads;
  /** Takes an error that nobody expected, and the id that the client was given. */
  logError: (id: string, error: unknown) => void;
}

/** Until there is authentication, everybody is the admin of this machine. */
const LOCAL_ADMIN: Viewer = { userId: 'local', isAdmin: true };

/** GraphQL over HTTP, at /graphql. */
export function createGraphQLHandler({ store, reads, logError }: YogaOptions): YogaServerInstance<object, Context> {
  return createYoga({
    schema,
    context: () => createContext(LOCAL_ADMIN, store, reads),
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    // A page of another origin has no business here.
    cors: false,
    batching: false,
    maskedErrors: { maskError: createErrorMask(logError), isDev: false },
    logging: false,
    plugins: [useGraphiQL(), useCheckedGetParameters(), useJsonOnly(), useDocumentLimits(), usePlainLists()],
  });
}
