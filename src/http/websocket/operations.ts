/** Operations on a socket: documents are parsed, validated and executed as over HTTP. */
import { getOperationAST, GraphQLError, type DocumentNode } from 'graphql';
import type { ServerOptions, SubscribePayload } from 'graphql-ws';
import type { Session } from '../../auth/session.js';
import type { Context } from '../../graphql/context.js';
import type { Initial } from '../server/identity.js';
import type { DocumentOf } from '../../feature.js';
import type { ObservedOperation } from '../../observer.js';
import { Answer, publicError } from '../answers/answer.js';
import type { SharedSubscriptions } from '../subscriptions/shared-subscriptions.js';
import { CloseCode } from './close-codes.js';
import { connectWith, type ConnectOptions, type Extra } from './connect.js';
import {
  envelopedFor,
  NOTHING_MORE,
  operationOf,
  type PreparedOperation,
  type SocketOperation,
  type Yoga,
} from './graphql-ws-adapter.js';
import { nextMessages, SocketFollower } from './socket-follower.js';

const MAX_OPERATIONS = 100;

/** Milliseconds that a client may take to send connection_init. */
const CONNECTION_INIT_TIMEOUT_MS = 10_000;

export interface SocketOperationsOptions extends ConnectOptions {
  documentOf: DocumentOf;
}

/**
 * The functions with which graphql-ws runs operations. Running operations are tracked here, because graphql-ws forgets
 * one as soon as its client sends `complete`, while an answer may still be sent.
 */
export function socketOperations(
  yoga: Yoga,
  subscriptions: SharedSubscriptions,
  options: SocketOperationsOptions,
): ServerOptions<Record<string, unknown>, Extra> {
  const { admission, documentOf, observer } = options;
  return {
    connectionInitWaitTimeout: CONNECTION_INIT_TIMEOUT_MS,
    onConnect: ({ extra, connectionParams }) => connectWith(options, extra, connectionParams ?? {}),
    onSubscribe: async ({ extra: { socket, session, address, callerOf }, subscriptions: wanted }, id, payload) => {
      // graphql-ws admits only authenticated clients.
      if (session === undefined) throw new Error('an operation came before its connection was acknowledged');
      const caller = callerOf(payload);
      const observed = observer.operation(caller, session.viewer.userId);
      const refuse = (errors: readonly GraphQLError[]) => {
        observed.end(errors);
        return errors;
      };
      const count = () => admission.count(session, address);
      if (socket.has(id)) {
        socket.close(CloseCode.idInUse, `Subscriber for ${id} already exists`);
        return refuse([refusal('The id is in use', 'ID_IN_USE')]);
      }
      if (socket.isRetired) return refuse([refusal('The socket closes: connect again', 'SERVER_STOPS')]);
      if (socket.operations >= MAX_OPERATIONS) {
        const message = `No more than ${MAX_OPERATIONS} operations run on a socket at once`;
        // Refused operations count as well.
        return refuse([await refusalOf(count, refusal(message, 'TOO_MANY_OPERATIONS'))]);
      }
      const variablesBytes = socket.begin(id);
      const prepared = await prepare(yoga, documentOf, payload, session, { count, observed });
      if (!('document' in prepared)) {
        socket.end(id);
        return refuse(prepared);
      }
      const { contextValue } = prepared;
      Object.assign(contextValue, {
        variablesBytes,
        caller,
        onLeave: (leave) => socket.onClose(leave),
      } satisfies Partial<Context>);
      const operation: SocketOperation = { ...prepared, socket, id, observed, isWanted: () => id in wanted };
      return operation;
    },
    execute: async (args) => {
      const { execute, socket, id, isWanted, observed } = operationOf(args);
      try {
        await socket.run(async () => {
          const result = await observed.run(execute)(args);
          observed.end(result.errors);
          return isWanted() ? nextMessages(id)(new Answer(result)) : null;
        });
      } catch (error) {
        observed.refuse('INTERNAL_SERVER_ERROR');
        throw error;
      }
      // Unless it was already reported: its client left before it began.
      observed.refuse('CLIENT_GONE');
      return NOTHING_MORE;
    },
    subscribe: async (args) => {
      const { contextValue, socket, id, observed, ...operation } = operationOf(args);
      const follower = new SocketFollower(socket, id);
      const follow = observed.run(() =>
        subscriptions.follow(contextValue.viewer, operation, follower, contextValue.caller),
      );
      const leaveOrRefusal = await follow().catch((error: unknown) => {
        observed.refuse('INTERNAL_SERVER_ERROR');
        throw error;
      });
      observed.end(typeof leaveOrRefusal === 'function' ? [] : leaveOrRefusal.errors);
      if (typeof leaveOrRefusal !== 'function') {
        socket.push(nextMessages(id)(new Answer(leaveOrRefusal)));
        return NOTHING_MORE;
      }
      follower.onReturn(() => {
        leaveOrRefusal();
        // Its client may reuse the id: nothing more is sent for this operation.
        socket.end(id);
      });
      return follower;
    },
    onError: (_context, _id, _payload, errors) => errors.map((error) => publicError(error)),
    // graphql-ws's last message of each operation.
    onComplete: ({ extra: { socket } }, id) => {
      socket.end(id);
      socket.lastUsed = Date.now();
    },
  };
}

/** Returns an operation that is ready to run, or its errors, which are sent while the socket stays open. */
async function prepare(
  yoga: Yoga,
  documentOf: DocumentOf,
  { operationName, variables, ...request }: SubscribePayload & { documentId?: unknown },
  session: Session,
  { count, observed }: { count: () => Promise<void>; observed: ObservedOperation },
): Promise<PreparedOperation | readonly GraphQLError[]> {
  const initial: Initial = { session };
  const { schema, parse, validate, contextFactory, execute } = envelopedFor(yoga, initial);
  let document: DocumentNode | undefined;
  try {
    await count();
    document = parse(documentOf(request));
    observed.setDocument(document, operationName);
    const errors = validate(schema, document);
    if (errors.length > 0) return errors;
    if (!getOperationAST(document, operationName)) {
      return [refusal('Could not determine what operation to execute.', 'OPERATION_RESOLUTION_FAILURE')];
    }
    const contextValue = await contextFactory();
    return { schema, document, operationName, variableValues: variables, contextValue, execute };
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const { extensions } = error;
    extensions['code'] ??= document === undefined ? 'GRAPHQL_PARSE_FAILED' : 'BAD_USER_INPUT';
    return [error];
  }
}

/** Why a refused operation must not even be attempted. */
async function refusalOf(count: () => Promise<void>, otherwise: GraphQLError): Promise<GraphQLError> {
  try {
    await count();
    return otherwise;
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

function refusal(message: string, code: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}
