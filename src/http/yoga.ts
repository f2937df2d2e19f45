import type { IncomingMessage } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import { createContext, type Context, type Services } from '../graphql/context.js';
import type { Auditor } from '../audit.js';
import type { Observer } from '../observer.js';
import type { Admission } from './server/admission.js';
import { corsFor } from './server/cors.js';
import type { Origins } from './server/origins.js';
import { DocumentCache, nothingKept } from './documents/document-cache.js';
import type { DocumentOf, IsPublic } from '../feature.js';
import { sessionOf, useIdentity } from './server/identity.js';
import { useTokenScopes } from './server/token-scopes.js';
import { useJsonBody } from './documents/json-body.js';
import { useDocumentSize } from './limits/document-size.js';
import { useIntrospectionForAdmins } from './limits/introspection.js';
import type { Within } from './limits/bounded-answers.js';
import { useUsage } from './limits/usage.js';
import { createErrorMask } from './answers/masked-errors.js';
import { useAudit } from './answers/audited-operations.js';
import type { Usage } from '../limits/usage.js';
import { useDocumentRules } from './documents/document-rules.js';
import { useServerSentEvents } from './subscriptions/server-sent-events.js';
import { SharedSubscriptions, type Subscribe } from './subscriptions/shared-subscriptions.js';
import { useRequestedDocuments } from './documents/requested-document.js';

export interface YogaOptions {
  schema: GraphQLSchema;
  services: Services;
  /** The same functions for one operation, within its limits. */
  within: Within;
  usage: Usage;
  documentOf: DocumentOf;
  isPublic: IsPublic;
  plugins: readonly Plugin[];
  firstPlugins: readonly Plugin[];
  admission: Admission;
  observer: Observer;
  auditor: Auditor | null;
  /** Returns the address of a request as limits count it. */
  addressOf: (request: IncomingMessage) => string;
  origins: Origins;
  bufferBytes: number;
  /** Receives an unexpected error, and the id that the client got. */
  logError: (id: string, error: unknown) => void;
}

/** GraphQL over HTTP at /graphql, and the subscriptions that it shares with other transports. */
export function createGraphQLHandler(options: YogaOptions): {
  yoga: YogaServerInstance<object, Context>;
  subscriptions: SharedSubscriptions;
} {
  const { schema, services, usage, admission, observer, auditor, addressOf, bufferBytes } = options;
  const subscribe: Subscribe = async (viewer, operation, following, caller) => {
    const contextValue = Object.assign(createContext(viewer, services, following), caller && { caller });
    const run = yoga.getEnveloped({}).subscribe as (args: object) => ReturnType<Subscribe>;
    return run({ schema, ...operation, contextValue });
  };
  const subscriptions = new SharedSubscriptions(subscribe);
  const documents = new DocumentCache();
  const { limits } = usage;
  const yoga = createYoga<object, Context>({
    schema,
    context: (initial) => {
      const { viewer, expiresAt } = sessionOf(initial);
      return Object.assign(createContext(viewer, services), { expiresAt });
    },
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    cors: corsFor(options.origins),
    batching: false,
    // useJsonBody is stricter.
    maxRequestBodySize: false,
    maskedErrors: { maskError: createErrorMask(options.logError), isDev: false },
    logging: false,
    parserAndValidationCache: { documentCache: documents, errorCache: nothingKept },
    plugins: [
      ...options.firstPlugins,
      useIdentity(admission, addressOf),
      useJsonBody(usage, options.isPublic),
      useRequestedDocuments(options.documentOf),
      ...options.plugins,
      useDocumentSize(limits),
      useDocumentRules(limits, documents),
      ...(admission.isDevelopment ? [] : [useIntrospectionForAdmins()]),
      useTokenScopes(),
      ...(auditor === null ? [] : [useAudit(auditor, observer)]),
      useUsage(usage, options.within),
      useServerSentEvents({
        subscriptions,
        bufferBytes,
        openSockets: usage.sockets,
        observer,
        addressOf,
      }),
      observer.plugin,
    ],
  });
  return { yoga, subscriptions };
}
