import type { IncomingMessage } from 'node:http';
import type { Plugin } from 'graphql-yoga';
import type { Auditor } from '../../audit.js';
import type { Context } from '../../graphql/context.js';
import type { Observer } from '../../observer.js';

/** Records operations of all transports in the audit log; of a subscription, its start. */
export function useAudit(log: Auditor, observer: Observer): Plugin<Context> {
  const begin = (context: Context) => {
    const { req, request } = context as { req?: IncomingMessage; request?: Request };
    const record = log.begin(context.viewer, context.caller ?? observer.callerOf(req, request?.headers));
    context.audit = record;
    return () => record.end();
  };
  return {
    onExecute({ args }) {
      const end = begin(args.contextValue);
      return { onExecuteDone: end };
    },
    onSubscribe({ args: { contextValue } }) {
      // Other executions are shared, or continue a subscription.
      if (contextValue.following === undefined || contextValue.caller === undefined) return;
      const end = begin(contextValue);
      return { onSubscribeResult: end };
    },
  };
}
