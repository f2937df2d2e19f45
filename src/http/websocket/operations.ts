/** What runs on a socket: documents are parsed, checked and run as those that come over HTTP are. */
import {
  getOperationAST,
  GraphQLError,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import type { ServerOptions, SubscribePayload } from 'graphql-ws';
import type { YogaServerInstance } from 'graphql-yoga';
import type { Context } from '../../graphql/context.js';
import { publicError, publicResult } from '../subscriptions/answer.js';
import type { SharedSubscriptions } from '../subscriptions/shared-subscriptions.js';
import type { ClientSocket } from './client-socket.js';
import { SocketFollower } from './socket-follower.js';

/** Operations that run on a socket at once. */
const MAX_OPERATIONS = 100;

/** How long a client may take to introduce itself, in milliseconds. */
const CONNECTION_INIT_TIMEOUT_MS = 10_000;

/** What the library keeps with a socket. */
export interface Extra {
  socket: ClientSocket;
}

/** An operation on its way through the library. */
interface SocketOperation extends Omit<ExecutionArgs, 'contextValue'> {
  contextValue: Context;
  execute: (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;
  socket: ClientSocket;
  id: string;
}

type Yoga = YogaServerInstance<object, Context>;

/** What the GraphQL server runs documents with, plugins included; its own types leave it open. */
interface Enveloped {
  schema: GraphQLSchema;
  parse: (source: string) => DocumentNode;
  validate: (schema: GraphQLSchema, document: DocumentNode) => readonly GraphQLError[];
  contextFactory: () => Promise<Context>;
  execute: SocketOperation['execute'];
}

/** How the library is to run operations. */
export function socketOperations(
  yoga: Yoga,
  subscriptions: SharedSubscriptions,
): ServerOptions<Record<string, unknown>, Extra> {
  return {
    connectionInitWaitTimeout: CONNECTION_INIT_TIMEOUT_MS,
    onSubscribe: ({ extra: { socket }, subscriptions: running }, id, payload) => {
      socket.operations = running;
      socket.lastUsed = Date.now();
      if (socket.isRetired) return [refusal('The server stops: connect again', 'SERVER_STOPS')];
      if (Object.keys(running).length > MAX_OPERATIONS) {
        return [refusal(`No more than ${MAX_OPERATIONS} operations run on a socket at once`, 'TOO_MANY_OPERATIONS')];
      }
      return prepare(yoga, payload, socket, id);
    },
    execute: (args) => {
      const { execute, socket } = args as unknown as SocketOperation;
      return socket.run(() => execute(args));
    },
    subscribe: async (args) => {
      const { contextValue, socket, id, ...operation } = args as unknown as SocketOperation;
      const follower = new SocketFollower(socket, id);
      const leaveOrRefusal = await subscriptions.follow(contextValue.viewer, operation, follower);
      if (typeof leaveOrRefusal !== 'function') return leaveOrRefusal;
      follower.onReturn(leaveOrRefusal);
      return follower;
    },
    onNext: (_context, _id, _payload, _args, result) => publicResult(result),
    onError: (_context, _id, _payload, errors) => errors.map((error) => publicError(error)),
    onComplete: ({ extra: { socket } }) => {
      socket.lastUsed = Date.now();
    },
  };
}

/** An operation that is ready to run; or what is wrong with it, which is answered and leaves the socket open. */
async function prepare(
  yoga: Yoga,
  { query, operationName, variables }: SubscribePayload,
  socket: ClientSocket,
  id: string,
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  const { schema, parse, validate, contextFactory, execute } = yoga.getEnveloped({}) as unknown as Enveloped;
  let document: DocumentNode | undefined;
  try {
    document = parse(query);
    const errors = validate(schema, document);
    if (errors.length > 0) return errors;
    if (!getOperationAST(document, operationName)) {
      return [refusal('Could not determine what operation to execute.', 'OPERATION_RESOLUTION_FAILURE')];
    }
    const operation: SocketOperation = {
      schema,
      document,
      operationName,
      variableValues: variables,
      contextValue: await contextFactory(),
      execute,
      socket,
      id,
    };
    return operation;
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const { extensions } = error;
    extensions['code'] ??= document === undefined ? 'GRAPHQL_PARSE_FAILED' : 'BAD_USER_INPUT';
    // An error of parsing is kept with its document, and is the answer over HTTP too: it must say as much there.
    if (document === undefined) extensions['http'] ??= { spec: true, status: 400 };
    return [error];
  }
}

function refusal(message: string, code: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}
