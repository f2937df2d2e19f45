/** The HTTP server in front of all routes: it limits connections and answers requests that cannot be routed. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { close, listen, unusedConnections } from './listen.js';
import { boundConnections, type ConnectionLimits } from '../limits/connections.js';
import { refusal } from './loopback.js';
import { OpenAnswers } from './open-answers.js';
import { ignoreUpgrade, isWebSocket } from './other-upgrades.js';
import { setSecurityHeaders } from './security-headers.js';
import { boundUnreadAnswers } from '../answers/unread-answers.js';
import { answerUnreadableRequests } from './unreadable-requests.js';
import { refuseConnection } from './refused-connection.js';

/** How long the headers of a request may take to arrive, in milliseconds; and how often it is looked. */
const HEADERS_TIMEOUT_MS = 10_000;
const CONNECTIONS_CHECK_MS = 1_000;

export interface HttpServerOptions {
  /** Whether only loopback's names are answered. */
  isDevelopment: boolean;
  /** How long a request may take to arrive, in milliseconds. */
  requestTimeoutMs: number;
  /** How long a connection is kept after an answer, in milliseconds, until something is asked again. */
  keepAliveTimeoutMs: number;
  /**
   * How long a connection may stand still, in milliseconds, with an answer on it that nobody reads, say: longer than any
   * operation takes. Streams have a comment now and then.
   */
  stalledAfterMs: number;
  /** How many bytes of answers may wait to be read, on all connections together. */
  maxUnreadBytes: number;
  connections: ConnectionLimits;
  /** Told of each request, before it is answered or refused. */
  onRequest(request: IncomingMessage, response: ServerResponse): void;
  /** Told of each request for a WebSocket that is refused here. */
  onRefusedUpgrade(request: IncomingMessage, status: number): void;
  /** Told of what came over a connection and was no request. */
  onUnreadable(connection: Socket, status: number): void;
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Takes an error that nobody expected. */
  onError(error: unknown): void;
  /** Takes over the connection of a client that asks for a WebSocket. */
  upgrade(request: IncomingMessage, connection: Duplex, head: Buffer): void;
}

export interface HttpServer {
  /** How many connections are open. */
  readonly connections: number;
  /**
   * @returns host and port
   * @throws Error when the address cannot be used
   */
  listen(address: string, port: number): Promise<string>;
  /**
   * Takes no more connections, and settles when all have ended.
   * @param cut called when it takes longer than `timeoutMs`
   */
  close(timeoutMs: number, cut: () => void): Promise<void>;
}

export function createHttpServer({
  isDevelopment,
  requestTimeoutMs,
  keepAliveTimeoutMs,
  stalledAfterMs,
  maxUnreadBytes,
  ...options
}: HttpServerOptions): HttpServer {
  const timeouts = {
    requestTimeout: requestTimeoutMs,
    headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeoutMs),
    connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
    keepAliveTimeout: keepAliveTimeoutMs,
  };
  const http = createServer(timeouts, (request, response) => {
    // While the server stops, each answer is the last on its connection, however long its client would keep it.
    if (!http.listening) response.shouldKeepAlive = false;
    response.on('close', () => {
      if (!http.listening) http.closeIdleConnections();
    });
    options.onRequest(request, response);
    setSecurityHeaders(response);
    const refused = refusal(request, isDevelopment);
    if (refused !== null) {
      response.writeHead(refused.status, { 'content-type': 'text/plain' }).end(refused.message);
      return;
    }
    // A failure that nobody takes would end the process.
    options.answer(request, response).catch((error: unknown) => {
      options.onError(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  });
  const answers = new OpenAnswers(http);
  http.on('upgrade', (request, connection, head) => {
    // The connection may break at any time; whoever waits for it hears of it by its closing.
    const ignore = () => {};
    connection.on('error', ignore);
    // What was asked before on the connection is answered before, and not between the frames of a WebSocket.
    answers.behind(connection, () => {
      if (isWebSocket(request)) return upgrade(request, connection, head);
      connection.off('error', ignore);
      ignoreUpgrade(http, request, connection, head);
    });
  });
  const upgrade: typeof options.upgrade = (request, connection, head) => {
    const refused = refusal(request, isDevelopment);
    if (refused === null) return options.upgrade(request, connection, head);
    options.onRefusedUpgrade(request, refused.status);
    refuseConnection(connection, refused.status);
  };
  http.setTimeout(stalledAfterMs);
  const connections = boundConnections(http, options.connections);
  boundUnreadAnswers(http, maxUnreadBytes);
  answerUnreadableRequests(http, answers, options.onUnreadable.bind(options));
  const unused = unusedConnections(http);
  return {
    get connections() {
      return connections.size;
    },
    listen: (address, port) => listen(http, address, port),
    close: (timeoutMs, cut) => close(http, { unused, timeoutMs, cut }),
  };
}
