import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How often it is looked, in milliseconds: answers are not made faster than they can add up to much. */
const INTERVAL_MS = 100;

/** Answers that one connection may have under way: clients that send their requests without waiting have a few. */
const MAX_ANSWERS = 20;

/**
 * Cuts clients off that ask for much and do not read it: an answer is kept until it has been read, and enough of them would
 * take all memory there is. Those with the most go first, until what is left is bearable. So is a connection on which
 * too many answers wait for each other.
 * @param maxBytes on all connections together
 */
export function boundUnreadAnswers(http: Server, maxBytes: number): void {
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
    if (total <= maxBytes) return;
    for (const { socket, bytes } of unread.sort((one, other) => other.bytes - one.bytes)) {
      socket.destroy();
      total -= bytes;
      if (total <= maxBytes) return;
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
