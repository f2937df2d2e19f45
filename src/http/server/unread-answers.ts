import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { OpenAnswers } from './open-answers.js';

/** Milliseconds between checks: answers cannot grow much in this time. */
const INTERVAL_MS = 100;

/**
 * Disconnects clients that do not read their answers, which stay in memory until read: those with the most unread bytes
 * first, until the sum is within `maxBytes`.
 * @param connections the open ones
 * @param maxBytes sum over all connections
 */
export function boundUnreadAnswers(
  http: Server,
  connections: ReadonlySet<Socket>,
  answers: OpenAnswers,
  maxBytes: number,
): void {
  const check = () => {
    let total = 0;
    for (const socket of connections) total += unreadBytes(socket, answers.of(socket));
    if (total <= maxBytes) return;
    const unread = Array.from(connections, (socket) => ({ socket, bytes: unreadBytes(socket, answers.of(socket)) }));
    for (const { socket, bytes } of unread.sort((one, other) => other.bytes - one.bytes)) {
      socket.destroy();
      total -= bytes;
      if (total <= maxBytes) return;
    }
  };
  // Only connections must keep the process alive.
  const timer = setInterval(check, INTERVAL_MS).unref();
  http.once('close', () => clearInterval(timer));
}

/** The bytes of the first answer are in the connection's buffer, those of later answers in their own. */
function unreadBytes(socket: Socket, answers: Iterable<ServerResponse>): number {
  let bytes = socket.writableLength;
  for (const answer of answers) if (answer.socket === null) bytes += answer.writableLength;
  return bytes;
}
