import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DocumentNode, ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Session } from '../../auth/session.js';
import type { ObservedOperation, Observer } from '../../observer.js';
import type { Refused } from '../../http/answers/refused-request.js';

/** The plugin of an Observer. */
export function observeOperations(observer: Pick<Observer, 'callerOf' | 'operation'>): Plugin {
  const operations = new WeakMap<Request, ObservedOperation>();
  const begin = (request: Request, context: object) => {
    const { req, res, session } = context as { req?: IncomingMessage; res?: ServerResponse; session?: Session };
    const operation = observer.operation(observer.callerOf(req, request.headers), session?.viewer.userId ?? null);
    operations.set(request, operation);
    // A disconnected client gets no answer, and there may be none.
    res?.once('close', () => operation.refuse('CLIENT_GONE'));
    return operation;
  };
  /** WebSocket operations have no request: they are observed at their socket. */
  const of = (context: object) => {
    const { request } = context as { request?: Request };
    return request === undefined ? undefined : operations.get(request);
  };
  return {
    onParams({ request, context }) {
      begin(request, context);
    },
    onParse({ context }) {
      const { params } = context as { params?: { operationName?: string | null } };
      return ({ result }) => {
        if (isDocument(result)) of(context)?.setDocument(result, params?.operationName);
      };
    },
    onExecute({ args, executeFn, setExecuteFn }) {
      const operation = of(args.contextValue);
      if (operation === undefined) return;
      setExecuteFn((given) => operation.run((): unknown => executeFn(given)) as never);
    },
    onSubscribe({ args, subscribeFn, setSubscribeFn }) {
      const operation = of(args.contextValue);
      if (operation === undefined) return;
      setSubscribeFn((given) => operation.run((): unknown => subscribeFn(given)) as never);
    },
    onResultProcess({ request, result, serverContext }) {
      // A request refused for its parameters has not begun an operation; a stream has.
      const operation = operations.get(request) ?? begin(request, serverContext);
      operation.end((result as ExecutionResult).errors);
    },
    onResponse({ request, response, serverContext }) {
      if (operations.has(request) || request.method === 'OPTIONS' || response.status < 400) return;
      if (new URL(request.url, 'http://localhost').pathname !== '/graphql') return;
      const operation = begin(request, serverContext);
      const { refusal } = serverContext as Partial<Refused>;
      if (refusal !== undefined) operation.end([refusal]);
      // Yoga's own refusals have only a status.
      else operation.refuse(`HTTP_${response.status}`);
    },
  };
}

function isDocument(result: unknown): result is DocumentNode {
  return typeof result === 'object' && result !== null && 'definitions' in result;
}
