/** Watches what the server does, and has it counted, logged and traced. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from './caller.js';
import type { Metrics } from './metrics.js';
import { ObservedOperation } from './observed-operation.js';
import { routeOf, type OperationEntry, type RefusedRoute, type RequestEntry } from './operation-entry.js';
import { requestIdOf } from './request-id.js';
import { traceParent } from './trace-parent.js';
import type { Traces } from './traces.js';

export interface ObserverOptions {
  metrics: Metrics;
  /** Null when nobody collects them. */
  traces: Traces | null;
  /** Tells the address of a client. */
  addressOf: (request: IncomingMessage) => string | null;
  /** Takes what there is to log of an operation. */
  logOperation?: ((entry: OperationEntry) => void) | undefined;
  /** Takes what there is to log of a request. */
  logRequest?: ((entry: RequestEntry) => void) | undefined;
}

/** As proxies have it of a client that went away before it was answered: what was to be sent, nobody got. */
const CLIENT_CLOSED_REQUEST = 499;

export class Observer {
  readonly #callers = new WeakMap<IncomingMessage, Caller>();

  constructor(private readonly options: ObserverOptions) {}

  /** A request has come: it gets its id, which the response tells, and it is told when that is closed. */
  request(request: IncomingMessage, response: ServerResponse): void {
    const { metrics, traces, addressOf, logRequest } = this.options;
    const clock = performance.now();
    const { method = '', url, headers } = request;
    const route = routeOf(url);
    const requestId = requestIdOf(headers['x-request-id']);
    const address = addressOf(request);
    const parent = traceParent(headers.traceparent);
    // Whoever asks for these asks all the time.
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

  /** A request for a WebSocket was refused. */
  refusedHandshake(request: IncomingMessage, status: number): void {
    const requestId = requestIdOf(request.headers['x-request-id']);
    const address = this.options.addressOf(request);
    this.#refused({ requestId, address, method: request.method ?? null, route: 'handshake', status });
  }

  /** What came over a connection was no request, or none to its end. */
  refusedConnection(address: string | null, status: number): void {
    this.#refused({ requestId: requestIdOf(undefined), address, method: null, route: 'unreadable', status });
  }

  #refused(entry: Omit<RequestEntry, 'durationMs'> & { route: RefusedRoute }): void {
    this.options.metrics.countRequest(entry.route, entry.status);
    this.options.logRequest?.({ ...entry, durationMs: 0 });
  }

  /** Where a request comes from that has come over a socket, or without one. */
  callerOf(request: IncomingMessage | undefined, headers?: Headers): Caller {
    const known = request === undefined ? undefined : this.#callers.get(request);
    return known ?? { requestId: requestIdOf(headers?.get('x-request-id')), transport: 'http', address: null };
  }

  /** Where the operations of a WebSocket come from; it is asked once for each. */
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
   * An operation has come.
   * @param userId null when it is not known who asks
   */
  operation(caller: Caller, userId: string | null): ObservedOperation {
    return new ObservedOperation(caller, userId, this.options.traces, (entry) => {
      this.options.metrics.countOperation(entry);
      this.options.logOperation?.(entry);
    });
  }
}
