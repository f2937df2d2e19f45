/** Counts, logs and traces the work of the server. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from './caller.js';
import type { Metrics } from './metrics.js';
import { ObservedOperation, type OperationObservers } from './observed-operation.js';
import type { RefusedRoute, RequestEntry } from './operation-entry.js';
import { requestIdOf } from './request-id.js';
import { traceParent } from './trace-parent.js';

export interface ObserverOptions extends OperationObservers {
  metrics: Metrics;
  /** Returns the recorded route of a request's target. */
  routeOf: (url: string | undefined) => string;
  /** Returns the address of a client. */
  addressOf: (request: IncomingMessage) => string | null;
  /** Receives the record of a request. */
  logRequest?: ((entry: RequestEntry) => void) | undefined;
}

/** As proxies record a client that disconnected before the response. */
const CLIENT_CLOSED_REQUEST = 499;

export class Observer {
  readonly #callers = new WeakMap<IncomingMessage, Caller>();

  constructor(private readonly options: ObserverOptions) {}

  /**
   * Begins to observe a request: it gets its id, which the response returns, and is recorded when the response closes.
   */
  request(request: IncomingMessage, response: ServerResponse): void {
    const { metrics, traces, routeOf, addressOf, logRequest } = this.options;
    const clock = performance.now();
    const { method = '', url, headers } = request;
    const route = routeOf(url);
    const requestId = requestIdOf(headers['x-request-id']);
    const address = addressOf(request);
    const parent = traceParent(headers.traceparent);
    // Other routes are polled constantly.
    const span = route === '/graphql' ? traces?.request({ method, route, parent }) : undefined;
    this.#callers.set(request, { requestId, transport: 'http', address, parent: span?.context ?? parent });
    response.setHeader('x-request-id', requestId);
    response.once('close', () => {
      const status = response.headersSent ? response.statusCode : CLIENT_CLOSED_REQUEST;
      span?.end(status);
      metrics.countRequest(route, status);
      logRequest?.({ requestId, address, method, route, status, durationMs: performance.now() - clock });
    });
  }

  /** Records a refused WebSocket request. */
  refusedHandshake(request: IncomingMessage, status: number): void {
    const requestId = requestIdOf(request.headers['x-request-id']);
    const address = this.options.addressOf(request);
    this.#refused({ requestId, address, method: request.method ?? null, route: 'handshake', status });
  }

  /** Records a connection without a complete request. */
  refusedConnection(address: string | null, status: number): void {
    this.#refused({ requestId: requestIdOf(undefined), address, method: null, route: 'unreadable', status });
  }

  #refused(entry: Omit<RequestEntry, 'durationMs'> & { route: RefusedRoute }): void {
    this.options.metrics.countRequest(entry.route, entry.status);
    this.options.logRequest?.({ ...entry, durationMs: 0 });
  }

  /** The origin of a request, with or without a socket. */
  callerOf(request: IncomingMessage | undefined, headers?: Headers): Caller {
    const known = request === undefined ? undefined : this.#callers.get(request);
    return known ?? { requestId: requestIdOf(headers?.get('x-request-id')), transport: 'http', address: null };
  }

  /** Returns the origin of each operation of a WebSocket. */
  socketCaller(upgrade: IncomingMessage): (payload: { extensions?: unknown }) => Caller {
    const socketId = requestIdOf(upgrade.headers['x-request-id']);
    const address = this.options.addressOf(upgrade);
    let count = 0;
    return ({ extensions }) => ({
      requestId: `${socketId}.${++count}`,
      transport: 'websocket',
      address,
      parent: traceParent((extensions as { traceparent?: unknown } | null | undefined)?.traceparent),
    });
  }

  /**
   * Begins to observe an operation.
   * @param userId null when the user is unknown
   */
  operation(caller: Caller, userId: string | null): ObservedOperation {
    return new ObservedOperation(caller, userId, this.options);
  }
}
