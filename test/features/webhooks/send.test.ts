/** One request, on real sockets. */
import { expect, it } from 'vitest';
import { send } from '../../../src/features/webhooks/send.js';
import { checkWebhooks } from '../../../src/features/webhooks/webhook.js';
import { startReceiver, webhookTo } from './receiver.js';

const delivery = {
  id: 'w',
  webhook: 'hook',
  type: 'chat.created',
  chatId: 'c',
  seq: 1,
  userId: 'u',
  actorId: 'u',
  ids: '{}',
  createdAt: 0,
  state: 'PENDING',
  attempts: 1,
  dueAt: 0,
  lastAttemptAt: null,
  lastStatus: null,
  lastError: null,
};
const options = () => ({ now: Date.now(), signal: new AbortController().signal });

it('resolves a name once and connects to that address, whatever the name resolves to later', async () => {
  const receiver = await startReceiver();
  const [webhook] = checkWebhooks([webhookTo({ url: receiver.url.replace('127.0.0.1', 'rebound.example') })]);
  let lookups = 0;
  const resolve = (name: string) => {
    expect(name).toBe('rebound.example');
    return Promise.resolve([{ address: lookups++ === 0 ? '127.0.0.1' : '192.0.2.1', family: 4 }]);
  };
  expect(await send(webhook!, delivery, { ...options(), resolve })).toEqual({ status: 204, retryAfterMs: 0 });
  expect(lookups).toBe(1);
  expect(receiver.received[0]?.headers.host).toMatch(/^rebound\.example:/);
});

it('resolves and checks the host of each redirect', async () => {
  const target = await startReceiver();
  const location = target.url.replace('127.0.0.1', 'second.example');
  const moved = await startReceiver((_request, response) => void response.writeHead(307, { location }).end());
  const url = moved.url.replace('127.0.0.1', 'first.example');
  const [webhook] = checkWebhooks([webhookTo({ url }, { allowRedirects: true })]);
  const names: string[] = [];
  const resolve = (name: string) => {
    names.push(name);
    return Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
  };
  expect(await send(webhook!, delivery, { ...options(), resolve })).toMatchObject({ status: 204 });
  expect(names).toEqual(['first.example', 'second.example']);
  const refusing = { ...webhook!, allowPrivateAddresses: false };
  await expect(send(refusing, delivery, { ...options(), resolve })).rejects.toThrow('first.example has the address');
});

it('stops after 3 redirects, and never follows one that changes the method or gives up https', async () => {
  const loop = await startReceiver((_request, response) => void response.writeHead(307, { location: '/again' }).end());
  const [webhook] = checkWebhooks([webhookTo(loop, { allowRedirects: true })]);
  expect(await send(webhook!, delivery, options())).toMatchObject({ status: 307 });
  expect(loop.received).toHaveLength(4);
  loop.answer = (_request, response) => void response.writeHead(302, { location: '/again' }).end();
  expect(await send(webhook!, delivery, options())).toMatchObject({ status: 302 });
  expect(loop.received).toHaveLength(5);
});

it('reads Retry-After, and no more than the beginning of a response', async () => {
  const receiver = await startReceiver((_request, response) => {
    response.writeHead(429, { 'retry-after': '7' });
    const fill = () => {
      while (response.write('x'.repeat(65_536)));
    };
    response.on('drain', fill).on('error', () => {});
    fill();
  });
  const [webhook] = checkWebhooks([webhookTo(receiver)]);
  expect(await send(webhook!, delivery, options())).toEqual({ status: 429, retryAfterMs: 7000 });
});

it('ends when the server stops, also during a lookup', async () => {
  const [webhook] = checkWebhooks([webhookTo({ url: 'http://slow.example/' })]);
  const closing = new AbortController();
  const sent = send(webhook!, delivery, { now: 0, signal: closing.signal, resolve: () => new Promise(() => {}) });
  closing.abort(new Error('the server stopped'));
  await expect(sent).rejects.toThrow('the server stopped');
});
