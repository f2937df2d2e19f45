/** GraphQL over WebSocket at /graphql, in the graphql-transport-ws protocol: see docs/subscriptions.md. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { handleProtocols, makeServer } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { TrustedDocuments } from '../documents/document-manifest.js';
import type { Admission } from '../server/admission.js';
import type { Account } from '../../limits/memory.js';
import { parsedSize } from '../../limits/parsed-size.js';
import { LARGE_JSON_BYTES, type Usage } from '../../limits/usage.js';
import { boundArriving } from './arriving.js';
import type { SharedSubscriptions } from '../subscriptions/shared-subscriptions.js';
import type { Observer } from '../../telemetry/observer.js';
import { refuseConnection } from '../server/refused-connection.js';
import { ClientSocket } from './client-socket.js';
import { CloseCode } from './close-codes.js';
import { createWebSocketServer, isServerMessageError, type Yoga } from './graphql-ws-adapter.js';
import { socketOperations } from './operations.js';
import type { Extra } from './connect.js';
import type { Origins } from '../server/origins.js';

/** Maximum bytes of a message; a longer one closes its socket with 1009. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/** Milliseconds between pings. */
const PING_INTERVAL_MS = 12_000;

/** Milliseconds without traffic after which a connection is cut; pings are traffic. */
const STALLED_AFTER_MS = 60_000;

/** Milliseconds that a client may take to answer a close frame before the connection is cut. */
const CLOSE_TIMEOUT_MS = 5_000;

export interface WebSocketOptions {
  yoga: Yoga;
  subscriptions: SharedSubscriptions;
  admission: Admission;
  /** Observes the operations. */
  observer: Observer;
  /** Returns the address of a request as limits count it. */
  addressOf: (request: IncomingMessage) => string;
  usage: Usage;
  trustedDocuments: TrustedDocuments;
  origins: Origins;
  /** Maximum unread bytes of a client. */
  bufferBytes: number;
  /** Milliseconds that a socket may stay without an operation. */
  idleTimeoutMs: number;
  /** Receives unexpected errors. */
  onError: (error: unknown) => void;
}

export interface WebSockets {
  /** Number of open sockets. */
  readonly size: number;
  /** Takes over the connection of a WebSocket upgrade, or refuses it. */
  handleUpgrade(request: IncomingMessage, connection: Duplex, head: Buffer): void;
  /** Accepts no more sockets, and closes each when only subscriptions run on it. */
  retire(): void;
  /** Cuts the remaining sockets. */
  terminate(): void;
}

export function createWebSockets({
  yoga,
  subscriptions,
  trustedDocuments,
  origins,
  ...options
}: WebSocketOptions): WebSockets {
  const { admission, addressOf, observer, usage } = options;
  const protocol = makeServer<Record<string, unknown>, Extra>(
    socketOperations(yoga, subscriptions, { admission, userSockets: usage.sockets.users, trustedDocuments, observer }),
  );
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
  // An invalid handshake: ws would answer with an HTML page and report nothing.
  server.on('wsClientError', (_error, connection, request) => refuse(request, connection, 400));
  const refuse = (request: IncomingMessage, connection: Duplex, status: number) => {
    observer.refusedHandshake(request, status);
    refuseConnection(connection, status);
  };
  const sockets = new Set<ClientSocket>();
  let isRetired = false;

  const each = (intervalMs: number, check: (socket: ClientSocket) => void) =>
    // Only the sockets must keep the process alive.
    setInterval(() => sockets.forEach(check), intervalMs).unref();
  const checks = [
    each(PING_INTERVAL_MS, (socket) => socket.checkAlive()),
    each(Math.min(PING_INTERVAL_MS, options.idleTimeoutMs), (socket) => {
      const isIdle = socket.operations === 0 && socket.lastUsed < Date.now() - options.idleTimeoutMs;
      if (isIdle) socket.close(CloseCode.idle, 'Idle');
    }),
  ];

  const accept = (webSocket: WebSocket, request: IncomingMessage, address: string) => {
    const { socket: connection, headers } = request;
    const socket = new ClientSocket(webSocket, options.bufferBytes);
    sockets.add(socket);
    // No byte arrived, and no waiting byte was sent.
    connection.setTimeout(STALLED_AFTER_MS, () => webSocket.terminate());
    const extra: Extra = { socket, headers, address, callerOf: observer.socketCaller(request) };
    const userId = () => extra.session?.viewer.userId ?? address;
    const hold = (account: Account) => usage.memory.hold(account, userId());
    const refuse = (error: unknown) => socket.close(CloseCode.tryLater, (error as Error).message);
    boundArriving(connection, webSocket, { hold: () => hold('bodies'), refuse });
    const closed = protocol.opened(
      {
        protocol: webSocket.protocol,
        send: (text) => socket.push(text),
        close: (code = 1000, reason = '') => socket.close(code, reason),
        onMessage: (take) => {
          const arrive = inTurn((bytes) => usage.beginParsing(userId(), bytes));
          webSocket.on('message', (data: Buffer) => {
            const variables = hold('variables');
            try {
              variables.take(parsedSize(data));
            } catch (error) {
              return refuse(error);
            }
            arrive(data.length, () => {
              // Messages after the close are not run: the client could not get the answer and would repeat them.
              if (webSocket.readyState !== webSocket.OPEN) return variables.giveBack();
              socket
                .take(variables, () => take(data.toString()))
                .catch((error: unknown) => {
                  if (isServerMessageError(error))
                    return socket.close(CloseCode.badRequest, 'Invalid message received');
                  options.onError(error);
                  socket.close(CloseCode.internalError, 'Internal server error');
                });
            });
          });
        },
      },
      extra,
    );
    // ws itself closes the socket with a code that gives the reason.
    webSocket.on('error', () => {});
    webSocket.once('close', (code, reason) => {
      sockets.delete(socket);
      closed(code, reason.toString()).catch(options.onError);
    });
    if (isRetired) retire(socket);
  };

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
      server.handleUpgrade(request, connection, head, (webSocket) => accept(webSocket, request, address));
    },
    retire() {
      isRetired = true;
      for (const socket of sockets) retire(socket);
    },
    terminate() {
      checks.forEach(clearInterval);
      for (const socket of sockets) socket.terminate();
    },
  };
}

function retire(socket: ClientSocket): void {
  socket.retire(CloseCode.restart, 'Restarting: connect again');
}

/** Reads the messages of a socket in order; large ones wait for memory. */
function inTurn(begin: (bytes: number) => Promise<void>): (bytes: number, look: () => void) => void {
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  return (bytes, look) => {
    if (waiting === 0 && bytes < LARGE_JSON_BYTES) return look();
    waiting++;
    last = last
      .then(() => begin(bytes))
      .then(() => {
        waiting--;
        look();
      });
  };
}
