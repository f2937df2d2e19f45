import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DocumentNode, ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Session } from '../../auth/session.js';
import type { ObservedOperation, Observer } from '../../observer.js';
import type { Refused } from '../../http/answers/refused-request.js';

/** The context of a request, which becomes that of its operation. */
interface Observed {
  req?: IncomingMessage;
  res?: ServerResponse;
  session?: Session;
  params?: { operationName?: string | null };
  /** WebSocket operations have none: they are observed at their socket. */
  observed?: ObservedOperation;
}

/** The plugin of an Observer. */
export function observeOperations(observer: Pick<Observer, 'callerOf' | 'operation'>): Plugin {
  const begin = ({ request, context }: { request: Request; context: object }) => {
    const { req, res, session } = context as Observed;
    const operation = observer.operation(observer.callerOf(req, request.headers), session?.viewer.userId ?? null);
    Object.assign(context, { observed: operation } satisfies Observed);
    // A disconnected client gets no answer, and there may be none.
    res?.once('close', () => {
      if (!operation.isOver) operation.refuse('CLIENT_GONE');
    });
  };
  return {
    onParams: begin,
    onValidate({ context, params: { documentAST } }) {
      const { observed, params } = context as Observed;
      observed?.setDocument(documentAST as DocumentNode, params?.operationName);
    },
    onExecute({ args, executeFn, setExecuteFn }) {
      const { observed } = args.contextValue as Observed;
      if (observed !== undefined) setExecuteFn(observed.run(executeFn));
    },
    onSubscribe({ args, subscribeFn, setSubscribeFn }) {
      const { observed } = args.contextValue as Observed;
      if (observed !== undefined) setSubscribeFn(observed.run(subscribeFn));
    },
    onResultProcess({ request, result, serverContext }) {
      // A request refused for its parameters has not begun an operation; a stream has.
      const context = serverContext as Observed;
      if (context.observed === undefined) begin({ request, context });
      context.observed?.end((result as ExecutionResult).errors);
    },
    onResponse({ request, response, serverContext }) {
      const { observed, refusal } = serverContext as Observed & Partial<Refused>;
      if (observed !== undefined || request.method === 'OPTIONS' || response.status < 400) return;
      if (new URL(request.url, 'http://localhost').pathname !== '/graphql') return;
      begin({ request, context: serverContext });
      const operation = (serverContext as Observed).observed;
      if (refusal !== undefined) operation?.end([refusal]);
      // Yoga's own refusals have only a status.
      else operation?.refuse(`HTTP_${response.status}`);
    },
  };
}
