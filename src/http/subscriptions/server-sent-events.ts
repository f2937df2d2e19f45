import type { ServerResponse } from 'node:http';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../graphql/context.js';
import { atExpiry } from '../expiry.js';
import type { Initial } from '../identity.js';
import { AnswerQueue } from './answer-queue.js';
import type { SharedSubscriptions } from './shared-subscriptions.js';

/**
 * Has subscriptions over HTTP share their executions, too. The GraphQL server asks for their answers as fast as the
 * response takes them, and writes them as graphql-sse's distinct connections mode has it.
 *
 * @param bound how much a client may leave unread, in bytes
 */
export function useServerSentEvents(subscriptions: SharedSubscriptions, bound: number): Plugin<Context> {
  return {
    onSubscribe({ args, setSubscribeFn }) {
      const { contextValue } = args;
      // One of those that are shared.
      if (contextValue.following !== undefined) return;
      setSubscribeFn(async () => {
        const { res, session } = contextValue as unknown as Initial & { res?: ServerResponse };
        // A stream that breaks off does not take its connection with it: a client would wait, and so would the server.
        const queue = new AnswerQueue(bound, () => res?.destroy());
        // Nobody may ever ask for its answers: a client that has gone by then, or one that does not take streams.
        res?.once('close', () => void queue.return());
        if (res?.closed) void queue.return();
        const leaveOrRefusal = await subscriptions.follow(contextValue.viewer, args, queue);
        if (typeof leaveOrRefusal !== 'function') return leaveOrRefusal;
        const forget = atExpiry(session, () => queue.cutOff());
        queue.onReturn(() => {
          forget();
          leaveOrRefusal();
        });
        return queue;
      });
    },
  };
}
