/** The HTTP server in front of all routes: it limits connections and answers requests that cannot be routed. */
import { createServer, type IncomingMessage, type ServerResponse, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { close, listen } from './listen.js';
import { boundConnections, type ConnectionLimits } from '../limits/connections.js';
import { refusal } from './loopback.js';
import { OpenAnswers } from './open-answers.js';
import { setSecurityHeaders } from './security-headers.js';
import { refuse, refused } from '../requests/transfer-request.js';
import type { Observer } from '../../observer.js';
import { answerUnreadableRequests, boundArrival } from './unreadable-requests.js';
import { refuseConnection } from './refused-connection.js';

/** Milliseconds that the headers of a request may take, and between checks. */
const HEADERS_TIMEOUT_MS = 10_000;
const CONNECTIONS_CHECK_MS = 1_000;

export interface HttpServerOptions {
  /** Whether only names of the loopback interface are answered. */
  isDevelopment: boolean;
  /** Milliseconds that a request other than an upload may take to arrive. */
  requestTimeoutMs: number;
  uploadTimeoutMs: number;
  /** Whether a request is an upload: its route has separate timeouts. */
  isUpload(request: IncomingMessage): boolean;
  /** Milliseconds that an idle connection is kept after an answer. */
  keepAliveTimeoutMs: number;
  /**
   * Milliseconds without traffic after which a connection is cut, such as one with an unread answer. Longer than any
   * operation; streams send comments.
   */
  stalledAfterMs: number;
  /** Maximum bytes of unread answers on all connections together. */
  maxUnreadBytes: number;
  connections: ConnectionLimits;
  /** Observes each request before it is answered or refused, and each upgrade request that is refused here. */
  observer: Pick<Observer, 'request' | 'refusedHandshake'>;
  /** Called with each connection whose bytes are not a request. */
  onUnreadable(connection: Socket, status: number): void;
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  onError(error: unknown): void;
  upgrade(request: IncomingMessage, connection: Duplex, head: Buffer): void;
}

export interface HttpServer {
  readonly connections: number;
  /**
   * @returns host and port
   * @throws Error when the address cannot be used
   */
  listen(address: string, port: number): Promise<string>;
  /**
   * Stops accepting connections; settles when all have ended.
   * @param cut called when closing takes longer than `timeoutMs`
   */
  close(timeoutMs: number, cut: () => void): Promise<void>;
}

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { isDevelopment, requestTimeoutMs } = options;
  const timeouts = {
    // Node has one timeout for all requests; the route of uploads answers before it.
    requestTimeout: Math.max(requestTimeoutMs, options.uploadTimeoutMs) + HEADERS_TIMEOUT_MS,
    headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeoutMs),
    connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
    keepAliveTimeout: options.keepAliveTimeoutMs,
  };
  const http = createServer(timeouts, (request, response) => {
    // While the server stops, each answer is the last on its connection, even with keep-alive.
    if (!http.listening) response.shouldKeepAlive = false;
    // Routes, limits and streams listen for its end.
    response.setMaxListeners(50);
    options.observer.request(request, response);
    setSecurityHeaders(response);
    const denied = refusal(request, isDevelopment);
    if (denied !== null) {
      response.writeHead(denied.status, { 'content-type': 'text/plain' }).end(denied.message);
      return;
    }
    // An unhandled rejection would end the process.
    options.answer(request, response).catch((error: unknown) => {
      options.onError(error);
      if (response.headersSent) response.destroy();
      else refuse(response, refused('Unexpected error.', 'INTERNAL_SERVER_ERROR', 500));
    });
  });
  const answers = new OpenAnswers(http);
  http.on('upgrade', (request, connection, head) => {
    // The connection may break at any time; its close event is handled elsewhere.
    const ignore = () => {};
    connection.on('error', ignore);
    // Answers to earlier requests on the connection must not be sent between the frames of a WebSocket.
    answers.afterAnswers(connection, () => {
      if (request.headers.upgrade?.toLowerCase() === 'websocket') return upgrade(request, connection, head);
      connection.off('error', ignore);
      ignoreUpgrade(http, request, connection, head);
    });
  });
  const upgrade: typeof options.upgrade = (request, connection, head) => {
    const refused = refusal(request, isDevelopment);
    if (refused === null) return options.upgrade(request, connection, head);
    options.observer.refusedHandshake(request, refused.status);
    refuseConnection(connection, refused.status);
  };
  http.setTimeout(options.stalledAfterMs);
  const connections = boundConnections(http, options.connections);
  boundUnreadAnswers(http, connections, answers, options.maxUnreadBytes);
  const isUpload = options.isUpload.bind(options);
  boundArrival(http, { connections, answers, requestTimeoutMs, isUpload, intervalMs: CONNECTIONS_CHECK_MS });
  answerUnreadableRequests(http, answers, options.onUnreadable.bind(options));
  return {
    get connections() {
      return connections.size;
    },
    listen: (address, port) => listen(http, address, port),
    close: (timeoutMs, cut) => close(http, { unused: answers.unused, timeoutMs, cut }),
  };
}

/**
 * Answers a request that offers another protocol as if it had not: an upgrade is optional, and Java's client offers
 * HTTP/2 each time. Node hands over every upgrade once it accepts any, so the request is put back on its connection
 * without the offer.
 */
function ignoreUpgrade(http: Server, request: IncomingMessage, connection: Duplex, head: Buffer): void {
  const { method, url, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const [name = '', value = ''] = rawHeaders.slice(n, n + 2);
    if (!/^(connection|upgrade|http2-settings)$/i.test(name)) lines.push(`${name}: ${value}`);
  }
  connection.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  http.emit('connection', connection);
}

/** Milliseconds between checks: answers cannot grow much in this time. */
const INTERVAL_MS = 100;

/**
 * Disconnects clients that do not read their answers, which stay in memory until read: those with the most unread bytes
 * first, until the sum is within `maxBytes`.
 * @param connections the open ones
 * @param maxBytes sum over all connections
 */
function boundUnreadAnswers(
  http: Server,
  connections: ReadonlySet<Socket>,
  answers: OpenAnswers,
  maxBytes: number,
): void {
  const check = () => {
    let total = 0;
    for (const socket of connections) total += unreadBytes(socket, answers.of(socket));
    if (total <= maxBytes) return;
    const unread = Array.from(connections, (socket) => ({ socket, bytes: unreadBytes(socket, answers.of(socket)) }));
    for (const { socket, bytes } of unread.sort((one, other) => other.bytes - one.bytes)) {
      socket.destroy();
      total -= bytes;
      if (total <= maxBytes) return;
    }
  };
  // Only connections must keep the process alive.
  const timer = setInterval(check, INTERVAL_MS).unref();
  http.once('close', () => clearInterval(timer));
}

/** The bytes of the first answer are in the connection's buffer, those of later answers in their own. */
function unreadBytes(socket: Socket, answers: Iterable<ServerResponse>): number {
  let bytes = socket.writableLength;
  for (const answer of answers) if (answer.socket === null) bytes += answer.writableLength;
  return bytes;
}
