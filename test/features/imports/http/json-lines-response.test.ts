import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { JsonLinesResponse } from '../../../../src/http/transfer/json-lines-response.js';

async function serve(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('a silent response writes progress lines, with the media type of JSON Lines', async () => {
  let asked = 0;
  const url = await serve((response) => {
    const lines = new JsonLinesResponse(
      response,
      () => {
        if (++asked === 2) {
          queueMicrotask(() => {
            lines.writeLine({ end: true });
            lines.stop(true);
          });
        }
        return { asked };
      },
      { ms: 5 },
    );
  });
  const response = await fetch(url);
  expect(response.headers.get('content-type')).toBe('application/jsonl');
  expect((await response.text()).trimEnd().split('\n')).toEqual(['{"asked":1}', '{"asked":2}', '{"end":true}']);
});

it('the first line fixes the status, and has a separate interval', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const url = await serve((response) => {
    const lines = new JsonLinesResponse(response, () => ({ progress: true }), { ms: 10, firstMs: 100 });
    const sent = [90, 20, 20].map((ms) => (vi.advanceTimersByTime(ms), response.headersSent));
    lines.writeLine({ sent });
    lines.stop(true);
  });
  const lines = (await (await fetch(url)).text()).trimEnd().split('\n');
  expect(lines.slice(0, -1)).toEqual(Array(4).fill('{"progress":true}'));
  expect(lines.at(-1)).toBe('{"sent":[false,true,true]}');
});
