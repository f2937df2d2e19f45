/** WebSockets that violate the protocol, do not read, or are too many. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { EVENTS } from '../documents.js';
import { userAt, type Headers } from '../users.js';
import type { Attack, Target } from './attack.js';

/** Time limit for a server to close a socket, in milliseconds. */
const GIVEN_UP_MS = 30_000;

/** Sockets from one address, above the limit. */
const CROWD = 150;

/** The address of a client with too many sockets. */
const CROWDED = { 'x-forwarded-for': '192.0.2.77' };

/** The time for which clients read nothing, in milliseconds. */
const STAY_MS = 20_000;

const SUBSCRIPTIONS = 60;

export function open({ url }: Target, headers: Headers): WebSocket {
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', {
    headers,
    perMessageDeflate: false,
  });
  return socket.on('error', () => {});
}

/** The close code of a socket after a message. */
async function closeCode(socket: WebSocket, say: () => void): Promise<number | string> {
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  socket.once('open', say);
  const stopping = new AbortController();
  const givenUp = pause(GIVEN_UP_MS, 'open' as const, { signal: stopping.signal }).catch(() => 'open' as const);
  const outcome = await Promise.race([closed, givenUp]);
  stopping.abort();
  socket.terminate();
  return outcome;
}

function misuse(name: string, expected: number, say: (socket: WebSocket) => void): Attack {
  return {
    name,
    make: (target) => {
      const socket = open(target, target.address);
      return closeCode(socket, () => say(socket));
    },
    // A connection that is cut while its client still sends may lose the code.
    expected: [expected, 1006],
  };
}

const init = (payload?: object) => JSON.stringify({ type: 'connection_init', payload });

/** Writes to the connection under the socket, bypassing the frame encoder. */
function raw(socket: WebSocket, bytes: readonly number[] | Buffer): void {
  (socket as unknown as { _socket: { write(data: Buffer): void } })._socket.write(Buffer.from(bytes));
}

export const SOCKETS: readonly Attack[] = [
  misuse('a frame that is none', 1002, (socket) => raw(socket, Buffer.alloc(200, 0xff))),
  // Masked with zeros, which leave the bytes unchanged.
  misuse('text that is not UTF-8', 1007, (socket) => raw(socket, [0x81, 0x84, 0, 0, 0, 0, 0xff, 0xfe, 0xc0, 0x80])),
  misuse('a message of 2 MB', 1009, (socket) => socket.send('x'.repeat(2e6))),
  misuse('a message of no protocol', 4400, (socket) => socket.send('{"hello":"world"}')),
  misuse('an operation before the beginning', 4401, (socket) =>
    socket.send('{"id":"1","type":"subscribe","payload":{"query":"{ __typename }"}}'),
  ),
  misuse('a wrong token on a socket', 4403, (socket) => socket.send(init({ authorization: 'Bearer nonsense' }))),
  misuse('silence', 4408, () => {}),
  {
    name: 'a token that expires on a socket',
    async make(target) {
      const headers = await userAt(0, 'short', { lifetime: 3 });
      const socket = open(target, { ...headers, ...target.address });
      return closeCode(socket, () => socket.send(init()));
    },
    expected: [4403],
  },
  {
    name: 'hundreds of sockets from one address',
    async make(target) {
      const sockets = Array.from({ length: CROWD }, () => open(target, CROWDED));
      const refused = (socket: WebSocket) =>
        Promise.race([once(socket, 'open').then(() => false), once(socket, 'close').then(() => true)]).catch(
          () => true,
        );
      const outcomes = await Promise.all(sockets.map(refused));
      for (const socket of sockets) socket.terminate();
      return outcomes.includes(true) ? 'some refused' : 'none refused';
    },
    expected: ['some refused'],
  },
  {
    name: 'subscribers that do not read',
    async make(target) {
      const socket = open(target, target.user);
      socket.once('open', () => socket.send(init()));
      socket.once('message', () => {
        socket.pause();
        for (let id = 0; id < SUBSCRIPTIONS; id++) {
          const payload = { query: EVENTS, variables: { chatId: 'mallory', after: 0 } };
          socket.send(JSON.stringify({ id: String(id), type: 'subscribe', payload }));
        }
      });
      await pause(STAY_MS);
      socket.terminate();
      return 'closed';
    },
    expected: ['closed'],
  },
  {
    name: 'subscriptions that end as soon as they begin',
    async make(target) {
      const socket = open(target, target.user);
      socket.once('open', () => socket.send(init()));
      await once(socket, 'message').catch(() => {});
      for (let id = 0; id < 200 && socket.readyState === WebSocket.OPEN; id++) {
        const payload = { query: EVENTS, variables: { chatId: 'mallory' } };
        socket.send(JSON.stringify({ id: String(id), type: 'subscribe', payload }));
        socket.send(JSON.stringify({ id: String(id), type: 'complete' }));
      }
      await pause(500);
      socket.terminate();
      return 'closed';
    },
    expected: ['closed'],
  },
];
