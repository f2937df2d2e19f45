import type { ServerResponse } from 'node:http';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../graphql/context.js';
import { PlainLists } from '../../graphql/plain-lists.js';

/** Lets long lists be written straight into the answer's text. Over HTTP only, where this server writes the text. */
export function usePlainLists(): Plugin<Context> {
  return {
    onExecute({ args }) {
      if (!('request' in args.contextValue)) return;
      const lists = new PlainLists(args.contextValue);
      args.contextValue.plainLists = lists;
      return {
        onExecuteDone({ result, setResult }) {
          if (!(Symbol.asyncIterator in result)) setResult(lists.complete(result));
          const { res } = args.contextValue as { res?: ServerResponse };
          // Not before: what it is sent from is in use until then.
          if (lists.isLent) res?.once('close', () => lists.end());
        },
      };
    },
  };
}
