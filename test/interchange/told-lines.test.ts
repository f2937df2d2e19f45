import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ToldLines } from '../../src/http/transfer/told-lines.js';

it('tells how far it has come as long as there is nothing else to tell, and is told as an answer of lines', async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    const lines = new ToldLines(
      response,
      () => {
        if (++asked === 2) {
          queueMicrotask(() => {
            lines.say({ end: true });
            lines.stop(true);
          });
        }
        return { asked };
      },
      5,
    );
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(response.headers.get('content-type')).toBe('application/jsonl');
  expect((await response.text()).trimEnd().split('\n')).toEqual(['{"asked":1}', '{"asked":2}', '{"end":true}']);
});
