/** Counts, logs and traces the work of the server. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isSpanContextValid, type SpanContext } from '@opentelemetry/api';
import type { Caller, Observer, ObservedOperation } from '../../observer.js';
import type { RequestEntry } from '../../operation-entry.js';
import { Metrics, type Readings } from './metrics.js';
import { RunningOperation, type OperationObservers } from './running-operation.js';
import type { DocumentNode, ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Session } from '../../auth/session.js';
import type { Refused } from '../../http/answers/refused-request.js';
import { createTraces, type StatementRun } from './traces.js';

export interface ObserverOptions extends OperationObservers {
  metrics: Metrics;
  /** Returns the recorded route of a request's target. */
  routeOf: (url: string | undefined) => string;
  /** Returns the address of a client. */
  addressOf: (request: IncomingMessage) => string | null;
  /** Receives the record of a request. */
  logRequest?: ((entry: RequestEntry) => void) | undefined;
}

/** Takes the place of a route: a refused WebSocket request, or an incomplete request. */
type RefusedRoute = 'handshake' | 'unreadable';

/** Characters that are safe in a log line. */
const ACCEPTED = /^[A-Za-z0-9._-]{1,64}$/;

/** As proxies record a client that disconnected before the response. */
const CLIENT_CLOSED_REQUEST = 499;

export class RequestObserver implements Observer {
  readonly plugin = observeOperations(this);
  readonly #callers = new WeakMap<IncomingMessage, Caller>();

  constructor(private readonly options: ObserverOptions) {}

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

  refusedHandshake(request: IncomingMessage, status: number): void {
    const requestId = requestIdOf(request.headers['x-request-id']);
    const address = this.options.addressOf(request);
    this.#refused({ requestId, address, method: request.method ?? null, route: 'handshake', status });
  }

  refusedConnection(address: string | null, status: number): void {
    this.#refused({ requestId: requestIdOf(undefined), address, method: null, route: 'unreadable', status });
  }

  #refused(entry: Omit<RequestEntry, 'durationMs'> & { route: RefusedRoute }): void {
    this.options.metrics.countRequest(entry.route, entry.status);
    this.options.logRequest?.({ ...entry, durationMs: 0 });
  }

  callerOf(request: IncomingMessage | undefined, headers?: Headers): Caller {
    const known = request === undefined ? undefined : this.#callers.get(request);
    return known ?? { requestId: requestIdOf(headers?.get('x-request-id')), transport: 'http', address: null };
  }

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

  operation(caller: Caller, userId: string | null): RunningOperation {
    return new RunningOperation(caller, userId, this.options);
  }
}

/** The id under which a request is logged: its X-Request-Id, or a generated one. */
function requestIdOf(given: string | readonly string[] | null | undefined): string {
  return typeof given === 'string' && ACCEPTED.test(given) ? given : randomUUID();
}

/** The parent span of a request, from W3C's traceparent; undefined without one. */
function traceParent(header: unknown): SpanContext | undefined {
  if (typeof header !== 'string') return undefined;
  // Later versions may append fields; version ff is invalid.
  const match = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(header);
  if (match === null) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = match;
  const context = { traceId, spanId, traceFlags: parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}

/** The context of a request, which becomes that of its operation. */
interface Observed {
  req?: IncomingMessage;
  res?: ServerResponse;
  session?: Session;
  params?: { operationName?: string | null };
  /** WebSocket operations have none: they are observed at their socket. */
  observed?: ObservedOperation;
}

function observeOperations(observer: Pick<Observer, 'callerOf' | 'operation'>): Plugin {
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

export interface TelemetryOptions extends Omit<ObserverOptions, 'metrics' | 'traces'> {
  /** Kind of the database. */
  database: 'sqlite' | 'postgresql' | 'sqlserver';
  /** URL of an OpenTelemetry collector; without it nothing is traced. */
  traceEndpoint: string | undefined;
  serviceName: string;
  /** Receives the text of each statement. */
  onStatement: ((sql: string) => void) | undefined;
  /** Receives a log line. */
  log: (line: string) => void;
}

export async function createTelemetry(options: TelemetryOptions) {
  const { database, traceEndpoint: endpoint, serviceName, onStatement, log } = options;
  const metrics = new Metrics();
  const system = database === 'sqlserver' ? 'microsoft.sql_server' : database;
  const traces = endpoint === undefined ? null : await createTraces({ endpoint, serviceName, database: system, log });
  return {
    /** The registry of the metrics. */
    registry: metrics.registry,
    observer: new RequestObserver({ ...options, metrics, traces }),
    /** Called with each completed statement. */
    statement: (sql: string, details: Omit<StatementRun, 'sql'>) => {
      onStatement?.(sql);
      metrics.countStatement(details);
      traces?.statement({ sql, ...details });
    },
    /** Reads a part of the server at each scrape. */
    read: (readings: Readings) => metrics.read(readings),
    /** Sends the remaining spans. Settles within seconds; never rejects. */
    stop: async () => traces?.stop(),
  };
}
