import { expect, test, vi } from 'vitest';
import { ask, JSON_HEADERS } from '../src/ask.js';

const requestOf = (fetch: typeof globalThis.fetch) => ({
  url: 'http://127.0.0.1:1/graphql',
  fetch,
  headers: JSON_HEADERS,
  query: '{ a }',
  variables: { b: 1 },
});

/** Responds when its signal is aborted. */
const silent: typeof fetch = (_, init) =>
  new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))));

test('posts the operation and returns the status with the response', async () => {
  const fetch = vi.fn(() => Promise.resolve(Response.json({ data: { a: 1 } }, { status: 207 })));
  expect(await ask(requestOf(fetch))).toEqual({ status: 207, answer: { data: { a: 1 } } });
  const [url, init] = fetch.mock.calls[0] as unknown as [string, RequestInit];
  expect({ url, ...init, signal: undefined }).toEqual({
    url: 'http://127.0.0.1:1/graphql',
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: '{"query":"{ a }","variables":{"b":1}}',
    signal: undefined,
  });
});

test.each(['<html>', 'null', '[]', '{"message":"no"}', ''])('%j is not a GraphQL response', async (text) => {
  const request = requestOf(() => Promise.resolve(new Response(text, { status: 502 })));
  expect(await ask(request)).toEqual({ status: 502, answer: null });
});

test('each signal ends the request, with its own reason, also before it begins', async () => {
  const first = new AbortController();
  const second = new AbortController();
  const running = ask(requestOf(silent), first.signal, undefined, second.signal);
  second.abort(new Error('closed'));
  await expect(running).rejects.toThrow('closed');
  await expect(ask(requestOf(fetch), second.signal)).rejects.toThrow('closed');
  await expect(ask(requestOf(silent), AbortSignal.timeout(1))).rejects.toThrow(/timeout/);
});

test('throws the error of fetch, and leaves no listener on a signal', async () => {
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, 'addEventListener');
  await expect(
    ask(
      requestOf(() => Promise.reject(new Error('no network'))),
      signal,
    ),
  ).rejects.toThrow('no network');
  const [, , options] = added.mock.calls[0]! as unknown as [string, () => void, { signal: AbortSignal }];
  expect(options.signal.aborted).toBe(true);
});
