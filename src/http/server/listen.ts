/** Opens the listening socket with a clear error, and closes it without losing an answer. */
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * @param setting environment variable of the port
 * @returns host and port
 * @throws Error when the address cannot be used
 */
export function listen(http: Server, host: string, port: number, setting = 'PORT'): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => {
      const reason = reasonOf(error, setting);
      reject(new Error(`Cannot listen on ${host}, port ${port}: ${reason}`, { cause: error }));
    };
    http.once('error', fail);
    http.listen(port, host, () => {
      // From here on only accepting a connection can fail, and the server continues.
      http.off('error', fail).on('error', () => {});
      const address = http.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      resolve(`${host.includes(':') ? `[${host}]` : host}:${bound}`);
    });
  });
}

function reasonOf({ code, message }: NodeJS.ErrnoException, setting: string): string {
  if (code === 'EADDRINUSE') return `the port is in use: set ${setting} to another`;
  if (code === 'EACCES') return `the port is not permitted: set ${setting} to another`;
  return `${message}: set HOST to an address of this machine`;
}

/**
 * Stops accepting connections; settles when all have ended.
 * @param unused connections that end at once
 * @param cut called when closing takes too long
 */
export function close(
  http: Server,
  { unused, timeoutMs, cut }: { unused: Iterable<Duplex>; timeoutMs: number; cut: () => void },
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
