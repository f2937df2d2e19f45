import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** Ends a connection with only a status, after an invalid request or a refused upgrade. */
export function refuseConnection(connection: Duplex, status: number): void {
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
  connection.end(head, () => connection.destroy());
}
