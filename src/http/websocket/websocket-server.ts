/** GraphQL over WebSocket at /graphql, in the graphql-transport-ws protocol: see docs/subscriptions.md. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { handleProtocols, makeServer, type Server } from 'graphql-ws';
import type { WebSocket, WebSocketServer } from 'ws';
import type { DocumentOf } from '../../feature.js';
import type { Admission } from '../server/admission.js';
import type { Usage } from '../../limits/usage.js';
import type { SharedSubscriptions } from '../subscriptions/shared-subscriptions.js';
import type { Observer } from '../../observer.js';
import { refuseConnection } from '../server/refused-connection.js';
import { ClientSocket } from './client-socket.js';
import { CloseCode } from './close-codes.js';
import { createWebSocketServer, type Yoga } from './graphql-ws-adapter.js';
import { receiveMessages } from './incoming-messages.js';
import { socketOperations } from './operations.js';
import type { Extra } from './connect.js';
import type { Origins } from '../server/origins.js';

/** Maximum bytes of a message; a longer one closes its socket with 1009. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/** Milliseconds without traffic after which a connection is cut; pings are traffic. */
const STALLED_AFTER_MS = 60_000;

/** Milliseconds that a client may take to answer a close frame before the connection is cut. */
const CLOSE_TIMEOUT_MS = 5_000;

export interface WebSocketOptions {
  yoga: Yoga;
  subscriptions: SharedSubscriptions;
  admission: Admission;
  observer: Observer;
  /** Returns the address of a request as limits count it. */
  addressOf: (request: IncomingMessage) => string;
  usage: Usage;
  documentOf: DocumentOf;
  origins: Origins;
  bufferBytes: number;
  /** Milliseconds that a socket may stay without an operation. */
  idleTimeoutMs: number;
  onError: (error: unknown) => void;
}

export interface WebSockets {
  readonly size: number;
  /** Takes over the connection of a WebSocket upgrade, or refuses it. */
  handleUpgrade(request: IncomingMessage, connection: Duplex, head: Buffer): void;
  /** Accepts no more sockets, and closes each when only subscriptions run on it. */
  retire(): void;
  /** Cuts the remaining sockets. */
  terminate(): void;
}

export function createWebSockets(options: WebSocketOptions): WebSockets {
  const { admission, addressOf, observer, origins, documentOf, usage } = options;
  const protocol = makeServer<Record<string, unknown>, Extra>(
    socketOperations(options.yoga, options.subscriptions, {
      admission,
      userSockets: usage.sockets.users,
      documentOf,
      observer,
    }),
  );
  const refuse = (request: IncomingMessage, connection: Duplex, status: number) => {
    observer.refusedHandshake(request, status);
    refuseConnection(connection, status);
  };
  const server = createHandshakes(refuse);
  const sockets = new Set<ClientSocket>();
  const stopChecks = startSocketChecks(sockets, options.idleTimeoutMs);
  let isRetired = false;

  return {
    get size() {
      return sockets.size;
    },
    handleUpgrade(request, connection, head) {
      const refuseWith = (status: number) => refuse(request, connection, status);
      if (isRetired) return refuseWith(503);
      if (!origins.mayConnect(request.headers)) return refuseWith(403);
      if (request.url?.split('?')[0] !== '/graphql') return refuseWith(404);
      const address = addressOf(request);
      const close = usage.sockets.addresses.open(address);
      if (close === null) return refuseWith(429);
      // The end of the connection always ends the socket.
      connection.once('close', close);
      server.handleUpgrade(request, connection, head, (webSocket) => {
        const socket = new ClientSocket(webSocket, options.bufferBytes);
        sockets.add(socket);
        webSocket.once('close', () => sockets.delete(socket));
        serveSocket(protocol, webSocket, request, { socket, address }, options);
        if (isRetired) retire(socket);
      });
    },
    retire() {
      isRetired = true;
      sockets.forEach(retire);
    },
    terminate() {
      stopChecks();
      for (const socket of sockets) socket.terminate();
    },
  };
}

/** @param refuse receives the requests with an invalid handshake */
function createHandshakes(
  refuse: (request: IncomingMessage, connection: Duplex, status: number) => void,
): WebSocketServer {
  const server = createWebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    closeTimeout: CLOSE_TIMEOUT_MS,
    handleProtocols,
    clientTracking: false,
    // One message per turn: graphql-ws needs a few turns to end a completed operation, and would also end a new one
    // with the same id that began at once.
    allowSynchronousEvents: false,
  });
  // By default, ws answers with an HTML page and reports nothing.
  server.on('wsClientError', (_error, connection, request) => refuse(request, connection, 400));
  return server;
}

/** Connects an open socket with graphql-ws. */
function serveSocket(
  protocol: Server<Extra>,
  webSocket: WebSocket,
  request: IncomingMessage,
  { socket, address }: Pick<Extra, 'socket' | 'address'>,
  { observer, usage, onError }: WebSocketOptions,
): void {
  const { socket: connection, headers } = request;
  // No byte arrived, and no waiting byte was sent.
  connection.setTimeout(STALLED_AFTER_MS, () => webSocket.terminate());
  const extra: Extra = { socket, headers, address, callerOf: observer.socketCaller(request) };
  const closed = protocol.opened(
    {
      protocol: webSocket.protocol,
      send: (text) => socket.push([text]),
      close: (code = 1000, reason = '') => socket.close(code, reason),
      onMessage: (take) => receiveMessages(webSocket, connection, extra, { usage, onError }, take),
    },
    extra,
  );
  // ws itself closes the socket with a code that gives the reason.
  webSocket.on('error', () => {});
  webSocket.once('close', (code, reason) => {
    closed(code, reason.toString()).catch(onError);
  });
}

function retire(socket: ClientSocket): void {
  socket.retire(CloseCode.restart, 'Restarting: connect again');
}

const PING_INTERVAL_MS = 12_000;

/**
 * Pings the sockets, and closes those that run no operation for `idleTimeoutMs`.
 * @returns a function that ends the checks
 */
function startSocketChecks(sockets: ReadonlySet<ClientSocket>, idleTimeoutMs: number): () => void {
  const each = (intervalMs: number, check: (socket: ClientSocket) => void) =>
    // Only the sockets must keep the process alive.
    setInterval(() => sockets.forEach(check), intervalMs).unref();
  const timers = [
    each(PING_INTERVAL_MS, (socket) => socket.checkAlive()),
    each(Math.min(PING_INTERVAL_MS, idleTimeoutMs), (socket) => {
      const isIdle = socket.operations === 0 && socket.lastUsed < Date.now() - idleTimeoutMs;
      if (isIdle) socket.close(CloseCode.idle, 'Idle');
    }),
  ];
  return () => timers.forEach(clearInterval);
}
