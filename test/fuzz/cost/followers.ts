/** Subscriptions of one user over several WebSockets. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { codeOf, KEPT, type Answer } from './answer.js';

/** Subscriptions per socket: within the limits of sockets and of operations of a socket. */
const PER_SOCKET = 20;

export interface Followers {
  /** The number of received results and errors so far. */
  results(): number;
  answer(): Answer;
  stop(): void;
}

/** Starts `count` subscriptions. @param payloadOf the payload of the nth, as JSON */
export async function follow(
  url: string,
  headers: Readonly<Record<string, string>>,
  count: number,
  payloadOf: (n: number) => string,
): Promise<Followers> {
  let [results, bytes, code] = [0, 0, null as string | null];
  const sockets: WebSocket[] = [];
  for (let left = count; left > 0; left -= PER_SOCKET) {
    const options = { headers, perMessageDeflate: false, maxPayload: 0 };
    const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', options);
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('close', (closed: number) => {
      if (closed > 4_000) code ??= String(closed);
    });
    if (!(await hasOpened(socket))) continue;
    socket.on('message', (data: Buffer) => {
      const text = data.toString('latin1', 0, KEPT);
      bytes += data.length;
      if (!/"type":"(next|error)"/.test(text)) return;
      results++;
      code ??= codeOf(text);
    });
    for (let n = 0; n < Math.min(left, PER_SOCKET); n++) {
      socket.send(`{"id":"${n}","type":"subscribe","payload":${payloadOf(left - n)}}`);
    }
  }
  return {
    results: () => results,
    answer: () => ({ code, bytes }),
    stop: () => {
      for (const socket of sockets) socket.terminate();
    },
  };
}

/** Opens a connection. @returns false if the server refuses it */
async function hasOpened(socket: WebSocket): Promise<boolean> {
  const closed = once(socket, 'close').then(() => false);
  const acknowledged = once(socket, 'open').then(() => {
    socket.send('{"type":"connection_init"}');
    return once(socket, 'message').then(() => true);
  });
  return Promise.race([acknowledged.catch(() => false), closed]);
}
