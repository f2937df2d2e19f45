import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How much may wait to be read on all connections together, in bytes. */
const MAX_UNREAD_BYTES = 256 * 1024 ** 2;

/** How often it is looked, in milliseconds: answers are not made faster than they can add up to much. */
const INTERVAL_MS = 500;

/**
 * Cuts clients off that ask for much and do not read it: an answer is kept until it has been read, and enough of them would
 * take all memory there is. Those with the most go first, until what is left is bearable.
 */
export function boundUnreadAnswers(http: Server): void {
  const connections = new Set<Socket>();
  http.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const look = () => {
    let total = 0;
    for (const { writableLength } of connections) total += writableLength;
    if (total <= MAX_UNREAD_BYTES) return;
    for (const socket of [...connections].sort((one, other) => other.writableLength - one.writableLength)) {
      total -= socket.writableLength;
      socket.destroy();
      if (total <= MAX_UNREAD_BYTES) return;
    }
  };
  // The connections keep the process, not this.
  const timer = setInterval(look, INTERVAL_MS).unref();
  http.once('close', () => clearInterval(timer));
}
