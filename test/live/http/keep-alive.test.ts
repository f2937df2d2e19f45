/** An idle connection is closed, but later than common clients and proxies close it. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { Limits } from '../../../src/limits/limits.js';
import { startListening } from '../../support/server/listening-server.js';

/** A client that waits for the server to close its connection. */
async function open(limits: Partial<Limits> = {}): Promise<Socket> {
  const { url } = await startListening({ limits });
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  return socket;
}

async function ask(socket: Socket): Promise<string> {
  socket.write('GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer.toString();
}

it('exceeds by default the minute of common proxies', async () => {
  expect(await ask(await open())).toMatch(/^HTTP\/1.1 200 .*Keep-Alive: timeout=75\r\n/is);
});

it('is KEEP_ALIVE_TIMEOUT_MS, after any number of responses', async () => {
  const socket = await open({ keepAliveTimeoutMs: 1_000 });
  for (let n = 0; n < 3; n++) expect(await ask(socket)).toMatch(/^HTTP\/1.1 200 .*Keep-Alive: timeout=1\r\n/is);
  await once(socket, 'close');
});
