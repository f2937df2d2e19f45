/** Many concurrent requests, within or above the limits: each response must show that they are bounded. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { Headers } from '../users.js';
import type { Attack, Target } from './attack.js';
import { post } from './requests.js';
import { open } from './sockets.js';

/** Accepted answers; the server may also run the request or close the connection. */
const BOUNDS = new Set([
  ...['200', 'cut', 'OVERLOADED', 'TOO_LARGE', 'PAYLOAD_TOO_LARGE', 'RATE_LIMITED', 'TIMEOUT'],
  ...['TOO_MANY_OPERATIONS', 'TOO_MANY_SOCKETS', 'COST_LIMIT_EXCEEDED'],
]);

/** @param make returns the server's answer */
export function flood(name: string, make: (target: Target) => Promise<readonly string[]>): Attack {
  return {
    name,
    make: async (target) => (await make(target)).find((logged) => !BOUNDS.has(logged)) ?? 'bounded',
    expected: ['bounded'],
  };
}

/** Posts this many requests at once, by several users in turn. */
export function posts(
  target: Target,
  people: readonly Headers[],
  count: number,
  bodyOf: (n: number) => string,
): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => post(target, people[n % people.length]!, bodyOf(n))));
}

/**
 * Opens this many sockets of one user, sends a message on each when it is acknowledged, and closes them after a while.
 * @param init the first message
 * @returns the codes of the errors
 */
export async function onSockets(
  target: Target,
  { headers, count, stayMs }: { headers: Headers; count: number; stayMs: number },
  say: (socket: WebSocket) => void,
  init = '{"type":"connection_init"}',
): Promise<string[]> {
  const logged = new Set<string>();
  const stays = Array.from({ length: count }, async () => {
    const socket = open(target, headers);
    const left = pause(stayMs);
    socket.once('open', () => socket.send(init)).once('message', () => say(socket));
    socket.on('message', (data: Buffer) => {
      const code = /"code":"([A-Z_]{4,})"/.exec(data.toString('latin1'))?.[1];
      if (code !== undefined) logged.add(code);
    });
    await Promise.race([left, once(socket, 'close')]);
    socket.terminate();
    await left;
  });
  await Promise.all(stays);
  return [...logged];
}
