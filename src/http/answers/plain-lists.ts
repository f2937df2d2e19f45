import type { ServerResponse } from 'node:http';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../graphql/context.js';
import { PlainLists } from '../../graphql/answers/plain-lists.js';

/**
 * Allows long lists to be written directly into the answer's text. Only over HTTP, where this server writes the text.
 */
export function usePlainLists(): Plugin<Context> {
  return {
    onExecute({ args }) {
      if (!('request' in args.contextValue)) return;
      const lists = new PlainLists(args.contextValue);
      args.contextValue.plainLists = lists;
      return {
        onExecuteDone() {
          const { res } = args.contextValue as { res?: ServerResponse };
          // The response is sent from the buffer, so release it only on close.
          if (lists.holdsBuffers) res?.once('close', () => lists.end());
        },
      };
    },
  };
}
