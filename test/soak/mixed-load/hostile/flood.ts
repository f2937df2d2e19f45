/** Much of something at once, within the limits or beyond them: each answer has to be one that bounds it. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { Headers } from '../people.js';
import type { Attack, Target } from './attack.js';
import { post } from './requests.js';
import { open } from './sockets.js';

/** What a server may say; it may do what was asked as well, or close the connection. */
const BOUNDS = new Set([
  ...['200', 'cut', 'OVERLOADED', 'TOO_LARGE', 'PAYLOAD_TOO_LARGE', 'RATE_LIMITED', 'TIMEOUT'],
  ...['TOO_MANY_OPERATIONS', 'TOO_MANY_SOCKETS', 'COST_LIMIT_EXCEEDED'],
]);

/** @param make answers what the server has said */
export function flood(name: string, make: (target: Target) => Promise<readonly string[]>): Attack {
  return {
    name,
    make: async (target) => (await make(target)).find((said) => !BOUNDS.has(said)) ?? 'bounded',
    expected: ['bounded'],
  };
}

/** Posts so many at the same time, each by another of some people in turn. */
export function posts(
  target: Target,
  people: readonly Headers[],
  count: number,
  bodyOf: (n: number) => string,
): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => post(target, people[n % people.length]!, bodyOf(n))));
}

/**
 * Opens so many sockets of somebody, says something on each when it is answered, and leaves after a while.
 * @param init what is said first
 * @returns the codes of errors that came
 */
export async function onSockets(
  target: Target,
  { headers, count, stayMs }: { headers: Headers; count: number; stayMs: number },
  say: (socket: WebSocket) => void,
  init = '{"type":"connection_init"}',
): Promise<string[]> {
  const said = new Set<string>();
  const stays = Array.from({ length: count }, async () => {
    const socket = open(target, headers);
    const left = pause(stayMs);
    socket.once('open', () => socket.send(init)).once('message', () => say(socket));
    socket.on('message', (data: Buffer) => {
      const code = /"code":"([A-Z_]{4,})"/.exec(data.toString('latin1'))?.[1];
      if (code !== undefined) said.add(code);
    });
    await Promise.race([left, once(socket, 'close')]);
    socket.terminate();
    await left;
  });
  await Promise.all(stays);
  return [...said];
}
