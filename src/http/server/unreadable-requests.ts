import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { OpenAnswers } from './open-answers.js';
import { refuseConnection } from './refused-connection.js';

/** By Node's error codes; all others mean that the bytes are not HTTP. */
const STATUSES: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/**
 * Answers invalid and incomplete requests as Node would, and reports them, which Node does not.
 * @param report called for those that never became a request
 */
export function answerUnreadableRequests(
  http: Server,
  answers: OpenAnswers,
  report: (connection: Socket, status: number) => void,
): void {
  http.on('clientError', (error: NodeJS.ErrnoException, connection) => {
    const status = STATUSES[error.code ?? ''] ?? 400;
    const next = answers.next(connection);
    // The connection is closed or already has its answer.
    if (!connection.writable || next?.headersSent === true) connection.destroy();
    else if (next !== undefined) next.writeHead(status, { connection: 'close' }).end(() => connection.destroy());
    else {
      report(connection as Socket, status);
      refuseConnection(connection, status);
    }
  });
}

export interface ArrivalOptions {
  connections: ReadonlySet<Socket>;
  answers: OpenAnswers;
  /** Milliseconds that a request other than an upload may take to arrive. */
  requestTimeoutMs: number;
  isUpload(request: IncomingMessage): boolean;
  intervalMs: number;
}

/** Ends requests whose bodies do not arrive in time, as Node's own timeout does for all requests. */
export function boundArrival(
  http: Server,
  { connections, answers, requestTimeoutMs, isUpload, intervalMs }: ArrivalOptions,
): void {
  const check = () => {
    const before = performance.now() - requestTimeoutMs;
    for (const socket of connections) {
      for (const request of answers.takeLate(socket, before)) {
        if (isUpload(request)) continue;
        const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
        http.emit('clientError', error, socket);
      }
    }
  };
  // Only connections must keep the process alive.
  const timer = setInterval(check, intervalMs).unref();
  http.once('close', () => clearInterval(timer));
}
