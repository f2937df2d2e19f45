import type { IncomingMessage, ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import type { Plugin, FetchAPI } from 'graphql-yoga';
import type { Context } from '../../graphql/context.js';
import type { Observer } from '../../observer.js';
import { atEnd } from '../server/session-end.js';
import { sessionOf } from '../server/identity.js';
import type { OpenSockets } from '../../limits/open-counts.js';
import { AnswerQueue } from './answer-queue.js';
import type { SharedSubscriptions } from './shared-subscriptions.js';
import type { StreamedResult } from '../answers/answer.js';

export interface ServerSentEventsOptions {
  subscriptions: SharedSubscriptions;
  bufferBytes: number;
  /** Streams count as WebSockets. */
  openSockets: OpenSockets;
  observer: Observer;
  /** Returns the address of a request as limits count it. */
  addressOf: (request: IncomingMessage) => string;
}

/**
 * Shares executions of subscriptions over HTTP as well. Yoga pulls the answers as fast as the response takes them and
 * writes them in graphql-sse's distinct connections mode. A stream ends with its session.
 */
export function useServerSentEvents(options: ServerSentEventsOptions): Plugin<Context> {
  const { subscriptions, bufferBytes, openSockets, observer, addressOf } = options;
  return {
    onResultProcess({ result, resultProcessor, setResultProcessor }) {
      // Without a processor, the client does not accept streams.
      if (resultProcessor === undefined || !(Symbol.asyncIterator in result)) return;
      const answers = result[Symbol.asyncIterator]();
      setResultProcessor((_result, fetchApi) => eventStream(answers, fetchApi), 'text/event-stream');
    },
    onResponse({ response: { headers } }) {
      if (headers.get('content-type') !== 'text/event-stream') return;
      // Yoga would allow caching, and names an invalid encoding.
      headers.set('cache-control', 'no-store');
      headers.delete('content-encoding');
    },
    onSubscribe({ args, setSubscribeFn }) {
      const { contextValue } = args;
      // Only shared subscriptions.
      if (contextValue.following !== undefined) return;
      setSubscribeFn(async () => {
        const { req, res, request } = contextValue as {
          req?: IncomingMessage;
          res?: ServerResponse;
          request?: Request;
        };
        const session = sessionOf(contextValue);
        // Without a connection nothing can be kept open.
        const opened =
          req === undefined ? { close: () => {} } : openStream(openSockets, session.viewer.userId, addressOf(req));
        if (opened === null) return { errors: [tooManyStreams()] };
        // A stream that breaks off does not close its connection: client and server would both wait.
        const queue = new AnswerQueue(bufferBytes, () => res?.destroy());
        // The answers may never be pulled: the client may be disconnected by then, or not accept streams.
        res?.once('close', () => void queue.return());
        if (res?.closed) void queue.return();
        const following = subscriptions.follow(
          contextValue.viewer,
          args,
          queue,
          observer.callerOf(req, request?.headers),
        );
        const leaveOrRefusal = await following.catch((error: unknown) => {
          opened.close();
          throw error;
        });
        if (typeof leaveOrRefusal !== 'function') {
          opened.close();
          return leaveOrRefusal;
        }
        const forget = atEnd(session, () => queue.cutOff());
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

/** Counts a stream; null at the limit. */
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
  return new GraphQLError('This user, or this address, has reached the limit of open sockets and streams', {
    extensions: { code: 'TOO_MANY_SOCKETS', http: { status: 429 } },
  });
}

const PING = Buffer.from(':\n\n');
const PING_INTERVAL_MS = 12_000;

/** The body of a stream, as Yoga writes it, but a long answer in pieces instead of one text. */
function eventStream(answers: AsyncIterator<StreamedResult>, fetchApi: FetchAPI): Response {
  let pings: NodeJS.Timeout | undefined;
  const body = new fetchApi.ReadableStream<Uint8Array>({
    start(controller) {
      // Some browsers ignore headers without a body.
      controller.enqueue(PING);
      pings = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(PING);
      }, PING_INTERVAL_MS);
    },
    async pull(controller) {
      try {
        const next = await answers.next();
        if (next.done === true) {
          clearInterval(pings);
          controller.enqueue(Buffer.from('event: complete\ndata:\n\n'));
          return controller.close();
        }
        for (const piece of ['event: next\ndata: ', ...(next.value.pieces ?? [JSON.stringify(next.value)]), '\n\n']) {
          controller.enqueue(typeof piece === 'string' ? Buffer.from(piece) : piece);
        }
      } catch (error) {
        clearInterval(pings);
        controller.error(error);
      }
    },
    async cancel() {
      clearInterval(pings);
      await answers.return?.();
    },
  });
  const headers = { 'content-type': 'text/event-stream', connection: 'keep-alive', 'cache-control': 'no-store' };
  return new fetchApi.Response(body, { status: 200, headers });
}
