/** The listening socket: opened with a clear error, closed without losing an answer. */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * @param setting which chooses the port
 * @returns host and port
 * @throws Error when the address cannot be used
 */
export function listen(http: Server, host: string, port: number, setting = 'PORT'): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? `the port is in use: set ${setting} to another` : error.message;
      reject(new Error(`Cannot listen on ${host}, port ${port}: ${reason}`, { cause: error }));
    };
    http.once('error', fail);
    http.listen(port, host, () => {
      // From here on only the accepting of a connection can fail, which is no reason to end.
      http.off('error', fail).on('error', () => {});
      const address = http.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      resolve(`${host.includes(':') ? `[${host}]` : host}:${bound}`);
    });
  });
}

/** Connections on which nothing has been asked yet: browsers make some in advance. Idle ones they are not, to Node. */
export function unusedConnections(http: Server): ReadonlySet<Socket> {
  const unused = new Set<Socket>();
  const known = new WeakSet<Socket>();
  http.on('connection', (socket) => {
    // One may come again, with a request that was put back on it: see other-upgrades.ts.
    if (known.has(socket)) return;
    known.add(socket);
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  const use = ({ socket }: IncomingMessage) => unused.delete(socket);
  http.on('request', use).on('upgrade', use);
  return unused;
}

/**
 * Takes no more connections, and settles when all have ended.
 * @param unused those that end at once
 * @param cut called when it takes too long
 */
export function close(
  http: Server,
  { unused, timeoutMs, cut }: { unused: ReadonlySet<Socket>; timeoutMs: number; cut: () => void },
): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      http.closeAllConnections();
      cut();
    }, timeoutMs);
    http.close(() => {
      clearTimeout(timer);
      resolve();
    });
    http.closeIdleConnections();
    for (const socket of unused) socket.destroy();
  });
}
