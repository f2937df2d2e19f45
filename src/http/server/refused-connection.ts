import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** Answers with a status alone what is no request, or one for a socket that nobody gets, and ends the connection. */
export function refuseConnection(connection: Duplex, status: number): void {
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
  connection.end(head, () => connection.destroy());
}
