/** Bodies and variables beyond the memory of a process. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startServer, type ServerProcess } from '../support/server/server-process.js';
import { temporaryFile } from '../support/temporary-folder.js';
import { bearer, SECRET } from '../support/server/tokens.js';

/** A server with a heap in which a user may have some 8 MB of open bodies, and as much of variables. */
const startSmall = () =>
  startServer({
    DATABASE_URL: `file:${temporaryFile()}`,
    AUTH_JWT_SECRET: SECRET,
    RATE_LIMIT_PER_USER: '0',
    NODE_OPTIONS: '--max-old-space-size=256',
  });

interface Answered {
  status: number;
  errors?: { extensions: { code: string } }[];
}

async function post({ url }: ServerProcess, userId: string, body: string): Promise<Answered> {
  const headers = { 'content-type': 'application/json', accept: 'application/json', ...(await bearer(userId)) };
  const response = await fetch(url, { method: 'POST', headers, body });
  return { status: response.status, ...((await response.json()) as object) };
}

/** Begins a body of 4 MB, and sends all but its end. @returns the first line of the answer, if ever there is one */
async function beginBody({ url }: ServerProcess, userId: string): Promise<{ socket: Socket; answer: Promise<string> }> {
  const { port, hostname, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  const { authorization } = await bearer(userId);
  const head = [
    'POST /graphql HTTP/1.1',
    `Host: ${host}`,
    `Authorization: ${authorization}`,
    'Content-Type: application/json',
    'Content-Length: 4000000',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n{"query":"`);
  await new Promise((resolve) => socket.write(Buffer.alloc(3_900_000, 'a'), resolve));
  const answer = once(socket, 'data').then(([data]) => String(data).split('\r\n')[0] ?? '');
  return { socket, answer };
}

it('endless bodies are refused at the limit, and do not affect other requests', async () => {
  const server = await startSmall();
  const bodies = await Promise.all(Array.from({ length: 6 }, () => beginBody(server, 'eve')));
  // Whichever they are: as many as there is room for may go on.
  await Promise.any(bodies.map(({ answer }) => answer.then((line) => expect(line).toMatch(/ 503 /))));
  expect(await post(server, 'bob', '{"query":"{ viewer { userId } }"}')).toMatchObject({ status: 200 });
  for (const { socket } of bodies) socket.destroy();
  // Closed connections release their memory.
  const whole = JSON.stringify({ query: '{ viewer { userId } }', variables: { unknown: 'x'.repeat(3_900_000) } });
  await expect.poll(async () => (await post(server, 'eve', whole)).status).toBe(200);
});

it('variables that would take too much memory are refused before they are parsed', async () => {
  const server = await startSmall();
  const body = (count: number) =>
    `{"query":"{ viewer { userId } }","variables":{"unknown":[${'{},'.repeat(count)}{}]}}`;
  const refused = await post(server, 'eve', body(1_000_000));
  expect(refused).toMatchObject({ status: 413, errors: [{ extensions: { code: 'TOO_LARGE' } }] });
  expect(await post(server, 'eve', body(1000))).toMatchObject({ status: 200 });
});
