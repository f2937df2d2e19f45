import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { OpenAnswers } from './open-answers.js';
import { refuseConnection } from './refused-connection.js';

/** Of Node's errors; all others are of what is no HTTP. */
const STATUSES: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/**
 * Answers what is no request, or does not come to its end. Node itself would answer the same, and tell nobody.
 * @param tell of those that did not come as far as to be a request
 */
export function answerUnreadableRequests(
  http: Server,
  answers: OpenAnswers,
  tell: (connection: Socket, status: number) => void,
): void {
  http.on('clientError', (error: NodeJS.ErrnoException, connection) => {
    const status = STATUSES[error.code ?? ''] ?? 400;
    const next = answers.next(connection);
    // It is gone, or has its answer.
    if (!connection.writable || next?.headersSent === true) connection.destroy();
    else if (next !== undefined) next.writeHead(status, { connection: 'close' }).end(() => connection.destroy());
    else {
      tell(connection as Socket, status);
      refuseConnection(connection, status);
    }
  });
}
