import type { IncomingMessage, ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../graphql/context.js';
import { atExpiry } from '../server/expiry.js';
import { sessionOf } from '../server/identity.js';
import type { OpenSockets } from '../../limits/open-counts.js';
import { AnswerQueue } from './answer-queue.js';
import type { SharedSubscriptions } from './shared-subscriptions.js';

export interface ServerSentEventsOptions {
  subscriptions: SharedSubscriptions;
  /** How much a client may leave unread. */
  bufferBytes: number;
  /** Streams count as WebSockets do. */
  openSockets: OpenSockets;
  /** Tells a request's address, as limits count it. */
  addressOf: (request: IncomingMessage) => string;
}

/**
 * Has subscriptions over HTTP share their executions, too. The GraphQL server asks for their answers as fast as the
 * response takes them, and writes them as graphql-sse's distinct connections mode has it. A stream ends with its session.
 */
export function useServerSentEvents(options: ServerSentEventsOptions): Plugin<Context> {
  const { subscriptions, bufferBytes, openSockets, addressOf } = options;
  return {
    onResponse({ response: { headers } }) {
      if (headers.get('content-type') !== 'text/event-stream') return;
      // As the answer to everybody else: the GraphQL server would let caches keep it, and names a coding that is none.
      headers.set('cache-control', 'no-store');
      headers.delete('content-encoding');
    },
    onSubscribe({ args, setSubscribeFn }) {
      const { contextValue } = args;
      // One of those that are shared.
      if (contextValue.following !== undefined) return;
      setSubscribeFn(async () => {
        const { req, res } = contextValue as { req?: IncomingMessage; res?: ServerResponse };
        const session = sessionOf(contextValue);
        // Without a connection there is nothing that could be held.
        const opened =
          req === undefined ? { close: () => {} } : openStream(openSockets, session.viewer.userId, addressOf(req));
        if (opened === null) return { errors: [tooManyStreams()] };
        // A stream that breaks off does not take its connection with it: a client would wait, and so would the server.
        const queue = new AnswerQueue(bufferBytes, () => res?.destroy());
        // Nobody may ever ask for its answers: a client that has gone by then, or one that does not take streams.
        res?.once('close', () => void queue.return());
        if (res?.closed) void queue.return();
        const following = subscriptions.follow(contextValue.viewer, args, queue);
        const leaveOrRefusal = await following.catch((error: unknown) => {
          opened.close();
          throw error;
        });
        if (typeof leaveOrRefusal !== 'function') {
          opened.close();
          return leaveOrRefusal;
        }
        const forget = atExpiry(session, () => queue.cutOff());
        queue.onReturn(() => {
          opened.close();
          forget();
          leaveOrRefusal();
        });
        return queue;
      });
    },
  };
}

/** Counts a stream; null when there are as many as there may be. */
function openStream({ users, addresses }: OpenSockets, userId: string, address: string): { close(): void } | null {
  const ofUser = users.open(userId);
  const ofAddress = addresses.open(address);
  if (ofUser !== null && ofAddress !== null) {
    return {
      close: () => {
        ofUser();
        ofAddress();
      },
    };
  }
  ofUser?.();
  ofAddress?.();
  return null;
}

function tooManyStreams(): GraphQLError {
  return new GraphQLError('This user, or this address, has as many sockets and streams open as there may be', {
    extensions: { code: 'TOO_MANY_SOCKETS', http: { status: 429 } },
  });
}
