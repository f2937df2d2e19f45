import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How much may wait to be read on all connections together, in bytes. */
const MAX_UNREAD_BYTES = 256 * 1024 ** 2;

/** How often it is looked, in milliseconds: answers are not made faster than they can add up to much. */
const INTERVAL_MS = 500;

/** Answers that one connection may have under way: clients that send their requests without waiting have a few. */
const MAX_ANSWERS = 20;

/**
 * Cuts clients off that ask for much and do not read it: an answer is kept until it has been read, and enough of them would
 * take all memory there is. Those with the most go first, until what is left is bearable. So is a connection on which
 * too many answers wait for each other.
 */
export function boundUnreadAnswers(http: Server): void {
  const connections = new Map<Socket, Set<ServerResponse>>();
  http.on('connection', (socket) => {
    // One may come again, with a request that was put back on it: see other-upgrades.ts.
    if (connections.has(socket)) return;
    connections.set(socket, new Set());
    socket.once('close', () => connections.delete(socket));
  });
  http.on('request', ({ socket }, response) => {
    const answers = connections.get(socket);
    if (answers === undefined) return;
    answers.add(response);
    response.once('close', () => answers.delete(response));
    if (answers.size > MAX_ANSWERS) socket.destroy();
  });
  const look = () => {
    const unread = [...connections].map(([socket, answers]) => ({ socket, bytes: unreadBytes(socket, answers) }));
    let total = unread.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= MAX_UNREAD_BYTES) return;
    for (const { socket, bytes } of unread.sort((one, other) => other.bytes - one.bytes)) {
      socket.destroy();
      total -= bytes;
      if (total <= MAX_UNREAD_BYTES) return;
    }
  };
  // The connections keep the process, not this.
  const timer = setInterval(look, INTERVAL_MS).unref();
  http.once('close', () => clearInterval(timer));
}

/** The first answer waits in the connection, and those behind it in themselves. */
function unreadBytes(socket: Socket, answers: ReadonlySet<ServerResponse>): number {
  let bytes = socket.writableLength;
  for (const answer of answers) if (answer.socket === null) bytes += answer.writableLength;
  return bytes;
}
