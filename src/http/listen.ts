/** The listening socket: opened with a clear error, closed without losing an answer. */
import type { Server } from 'node:http';

/**
 * @returns host and port
 * @throws Error when the address cannot be used
 */
export function listen(http: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'the port is in use: set PORT to another' : error.message;
      reject(new Error(`Cannot listen on ${host}, port ${port}: ${reason}`, { cause: error }));
    });
    http.listen(port, host, () => {
      http.removeAllListeners('error');
      const address = http.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      resolve(`${host.includes(':') ? `[${host}]` : host}:${bound}`);
    });
  });
}

/** Takes no more connections, and settles when all have ended. @param cut called when that takes too long */
export function close(http: Server, timeoutMs: number, cut: () => void): Promise<void> {
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
  });
}
