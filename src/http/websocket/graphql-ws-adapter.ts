/**
 * The places where Parley needs more of graphql-ws, ws and Yoga than their types declare. All casts and comparisons with
 * their error texts are here; test/live fails when a new version breaks one.
 */
import type { DocumentNode, ExecutionArgs, ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql';
import type { YogaServerInstance } from 'graphql-yoga';
import { WebSocketServer, type ServerOptions } from 'ws';
import type { Context } from '../../graphql/context.js';
import type { ObservedOperation } from '../../observer.js';
import type { Initial } from '../server/identity.js';
import type { ClientSocket } from './client-socket.js';

export type Yoga = YogaServerInstance<object, Context>;

/** A parsed and validated operation. */
export interface PreparedOperation extends Omit<ExecutionArgs, 'contextValue'> {
  contextValue: Context;
  execute: (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;
}

/** A prepared operation as `onSubscribe` returns it. */
export interface SocketOperation extends PreparedOperation {
  socket: ClientSocket;
  observed: ObservedOperation;
  id: string;
  /** Whether the client still waits for a result. */
  isWanted: () => boolean;
}

/** Yoga's functions for one request, plugins included; Yoga's types declare them with `any`. */
interface Enveloped {
  schema: GraphQLSchema;
  parse: (source: string) => DocumentNode;
  validate: (schema: GraphQLSchema, document: DocumentNode) => readonly GraphQLError[];
  contextFactory: () => Promise<Context>;
  execute: PreparedOperation['execute'];
}

export function envelopedFor(yoga: Yoga, initial: Initial): Enveloped {
  return yoga.getEnveloped(initial) as unknown as Enveloped;
}

/** graphql-ws passes the object that `onSubscribe` returned to `execute` and `subscribe`, but types it as ExecutionArgs. */
export function operationOf(args: ExecutionArgs): SocketOperation {
  return args as SocketOperation;
}

/** The result for graphql-ws of an operation whose answer is sent; graphql-ws still sends `complete`. */
export const NOTHING_MORE: AsyncIterable<never, undefined> = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }),
};

/** Whether graphql-ws received a message that only servers send; it throws an Error without a class or a code. */
export function isServerMessageError(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Unexpected message of type');
}

/** @param options with `closeTimeout` in milliseconds, which ws supports and its types lack */
export function createWebSocketServer(options: ServerOptions & { closeTimeout: number }): WebSocketServer {
  return new WebSocketServer(options);
}
