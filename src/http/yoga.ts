import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import { LOCAL_ADMIN } from '../conversation/ownership.js';
import { createContext, type Context, type Services } from '../graphql/context.js';
import { schema } from '../graphql/schema.js';
import { useDocumentLimits } from './document-limits.js';
import { useCheckedGetParameters } from './get-parameters.js';
import { useGraphiQL } from './graphiql.js';
import { useJsonOnly } from './json-only.js';
import { createErrorMask } from './masked-errors.js';
import { usePlainLists } from './plain-lists.js';
import { useSubscriptionRoot } from './subscription-root.js';
import { useServerSentEvents } from './subscriptions/server-sent-events.js';
import { SharedSubscriptions, type Subscribe } from './subscriptions/shared-subscriptions.js';

export interface YogaOptions {
  services: Services;
  /** How much a client of a stream may leave unread, in bytes. */
  bufferBytes: number;
  /** Takes an error that nobody expected, and the id that the client was given. */
  logError: (id: string, error: unknown) => void;
}

/** GraphQL over HTTP, at /graphql, and the subscriptions that it shares with other transports. */
export function createGraphQLHandler({ services, bufferBytes, logError }: YogaOptions): {
  yoga: YogaServerInstance<object, Context>;
  subscriptions: SharedSubscriptions;
} {
  const subscribe: Subscribe = async (viewer, operation, following) => {
    const contextValue = createContext(viewer, services, following);
    const run = yoga.getEnveloped({}).subscribe as (args: object) => ReturnType<Subscribe>;
    return run({ schema, ...operation, contextValue });
  };
  const subscriptions = new SharedSubscriptions(subscribe);
  const yoga = createYoga<object, Context>({
    schema,
    context: () => createContext(LOCAL_ADMIN, services),
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    // A page of another origin has no business here.
    cors: false,
    batching: false,
    maskedErrors: { maskError: createErrorMask(logError), isDev: false },
    logging: false,
    plugins: [
      useGraphiQL(),
      useCheckedGetParameters(),
      useJsonOnly(),
      useDocumentLimits(),
      useSubscriptionRoot(),
      usePlainLists(),
      useServerSentEvents(subscriptions, bufferBytes),
    ],
  });
  return { yoga, subscriptions };
}
