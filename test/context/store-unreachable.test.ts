/** A remote store whose server does not respond, or is not a Parley server. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ContextEngine, ContextError, RemoteStore, user, XmlRenderer } from '@parley/context';
import { freePort } from '../support/server/free-port.js';
import { failureOf } from './store-failure.js';

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
}

const answering = (status: number, body: string, type = 'application/json') =>
  serve((_request, response) => void response.writeHead(status, { 'content-type': type }).end(body));

test('reports a missing server, and keeps pending messages', async () => {
  const url = `http://127.0.0.1:${await freePort()}/graphql`;
  const engine = new ContextEngine({ store: new RemoteStore({ url }), chatId: 'c', userId: 'u' }).set(user('Hello'));
  for (const call of [
    () => engine.save(),
    () => engine.resolve({ renderer: new XmlRenderer() }),
    () => engine.rewind('m1'),
  ]) {
    expect(await failureOf(call())).toEqual({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(
        new RegExp(`^${url} does not answer: fetch failed \\(.*ECONNREFUSED.*\\)$`),
      ) as string,
      path: null,
    });
  }
  expect(engine.pendingMessages).toHaveLength(1);
});

test.each([
  [{ url: '' }, 'url'],
  [{ url: undefined as never }, 'url'],
  [{ url: 'localhost:4000/graphql' }, 'url'],
  [{ url: '/graphql' }, 'url'],
  [{ url: 'http://server.example/graphql', timeoutMs: 0 }, 'timeoutMs'],
  [{ url: 'http://server.example/graphql', timeoutMs: 'soon' as never }, 'timeoutMs'],
  [{ url: 'http://server.example/graphql', timeoutMs: 2 ** 31 }, 'timeoutMs'],
  [{ url: 'http://server.example/graphql', timeoutMs: Infinity }, 'timeoutMs'],
])('refuses %j as options', (options, path) => {
  expect(() => new RemoteStore(options)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', path }) as Error);
});

test('errors do not contain secrets of the URL', async () => {
  const url = 'http://server.example/graphql?token=secret';
  const store = new RemoteStore({ url, fetch: () => Promise.reject(new TypeError('cut')) });
  expect(await failureOf(store.getChat('c'))).toMatchObject({
    message: 'http://server.example/graphql does not answer: cut',
  });
  expect(() => new RemoteStore({ url: 'http://ana:secret@server.example/graphql' })).toThrow(/^((?!secret).)*$/);
  const wrongHeader = new RemoteStore({ url, headers: { authorization: 'secret\nx' } });
  const message = 'headers has a name or a value that no header can have';
  expect(await failureOf(wrongHeader.getChat('c'))).toEqual({ code: 'INVALID_INPUT', message, path: 'headers' });
});

test('reports failing headers as an unreachable server', async () => {
  const headers = () => Promise.reject(new Error('the token has expired'));
  const store = new RemoteStore({ url: 'http://server.example/graphql', headers });
  expect(await failureOf(store.getChat('c'))).toEqual({
    code: 'UNAVAILABLE',
    message: 'headers cannot be had: the token has expired',
    path: null,
  });
});

test('distinguishes a request that is too large from a missing answer', async () => {
  const extensions = { code: 'PAYLOAD_TOO_LARGE' };
  const body = JSON.stringify({ errors: [{ message: 'Request body too large', extensions }] });
  const store = new RemoteStore({ url: await answering(413, body) });
  expect(await failureOf(store.getChat('c'))).toMatchObject({
    code: 'INVALID_INPUT',
    message: 'Request body too large',
  });
  const behindProxy = new RemoteStore({ url: await answering(413, '<html>', 'text/html') });
  expect(await failureOf(behindProxy.getChat('c'))).toMatchObject({ code: 'INVALID_INPUT' });
});

test('reports an empty response to a change as an error of the server', async () => {
  const store = new RemoteStore({ url: await answering(200, '{"data":{"result":null}}') });
  expect(await failureOf(store.deleteCheckpoint('c', 'x'))).toMatchObject({ code: 'INTERNAL' });
  expect(await failureOf(store.setActiveBranch('c', 'x'))).toMatchObject({ code: 'INTERNAL' });
});

test('keeps the reason in cause', async () => {
  const reason = new TypeError('cut');
  const store = new RemoteStore({ url: 'http://server.example/graphql', fetch: () => Promise.reject(reason) });
  const error: unknown = await store.getChat('c').catch((each: unknown) => each);
  expect(error).toBeInstanceOf(ContextError);
  expect((error as ContextError).cause).toBe(reason);
});

test('waits for the given timeout', async () => {
  let requests = 0;
  const url = await serve(() => void (requests += 1));
  const store = new RemoteStore({ url, timeoutMs: 1_000 });
  expect(await failureOf(store.getChat('c'))).toEqual({
    code: 'UNAVAILABLE',
    message: `${url} does not answer: The operation was aborted due to timeout`,
    path: null,
  });
  expect(requests).toBe(1);
});

test('applies the timeout to a response that does not end', async () => {
  const url = await serve((_request, response) => void response.writeHead(200).write('{"data": '));
  expect(await failureOf(new RemoteStore({ url, timeoutMs: 50 }).getChat('c'))).toMatchObject({ code: 'UNAVAILABLE' });
});

const HTML = '<html><body><h1>Something went wrong</h1></body></html>';

test.each([
  ['HTML of a failed server', 500, HTML, 'UNAVAILABLE'],
  ["a proxy's Bad Gateway", 502, HTML, 'UNAVAILABLE'],
  ["a proxy's Too Many Requests", 429, 'Slow down', 'UNAVAILABLE'],
  ["a proxy's Unauthorized", 401, HTML, 'UNAUTHENTICATED'],
  ['HTML', 200, HTML, 'INTERNAL'],
  ['Not Found', 404, 'Not Found', 'INTERNAL'],
  ['nothing', 204, '', 'INTERNAL'],
  ['null', 200, 'null', 'INTERNAL'],
  ['a text', 200, '"data"', 'INTERNAL'],
  ['a list', 200, '[{"data": null}]', 'INTERNAL'],
  ['other JSON', 200, '{"status": "ok"}', 'INTERNAL'],
  ['other JSON with data', 200, '{"data": {"id": 1}}', 'INTERNAL'],
  ['other JSON with a string as data', 200, '{"data": "chat"}', 'INTERNAL'],
  ['other errors', 200, '{"errors": "all wrong"}', 'INTERNAL'],
  ['neither errors nor data', 200, '{"errors": []}', 'INTERNAL'],
  ['other errors of a failed server', 503, '{"errors": {"a": 1}}', 'UNAVAILABLE'],
])('answered with %s', async (_what, status, body, code) => {
  const url = await answering(status, status === 204 ? '' : body, body === HTML ? 'text/html' : undefined);
  const store = new RemoteStore({ url });
  const failure = { code, message: `${url} answered with status ${status}, and not as GraphQL does`, path: null };
  expect(await failureOf(store.getChat('c'))).toEqual(failure);
  expect(await failureOf(store.getMessageChain('m'))).toEqual(failure);
  expect(await failureOf(store.listChats())).toEqual(failure);
  expect(await failureOf(store.saveMessages('c', [{ name: 'user', content: { text: 'x' } }]))).toEqual(failure);
  expect(await failureOf(store.deleteChat('c'))).toEqual(failure);
});

test.each([
  ['DATABASE_UNAVAILABLE', 'UNAVAILABLE', null],
  ['UPGRADE_REQUIRED', 'UNAVAILABLE', null],
  ['AUTHENTICATION_UNAVAILABLE', 'UNAVAILABLE', null],
  ['RATE_LIMITED', 'UNAVAILABLE', null],
  ['TIMEOUT', 'UNAVAILABLE', null],
  ['UNAUTHENTICATED', 'UNAUTHENTICATED', null],
  ['COST_LIMIT_EXCEEDED', 'INVALID_INPUT', null],
  ['TOO_LARGE', 'INVALID_INPUT', null],
  ['OVERLOADED', 'UNAVAILABLE', null],
  ['INTERNAL_SERVER_ERROR', 'INTERNAL', null],
  ['BAD_USER_INPUT', 'INVALID_INPUT', null],
  ['INVALID_INPUT', 'INVALID_INPUT', 'filter.userId'],
  ['GONE', 'NOT_FOUND', null],
  ['SOMETHING_NEW', 'INTERNAL', null],
  [undefined, 'INTERNAL', null],
])("maps the server's error %s to %s", async (code, expected, path) => {
  const error = { message: 'It went wrong', extensions: { code, path } };
  const url = await answering(200, JSON.stringify({ data: { chat: null }, errors: [error] }));
  const failure = { code: expected, message: 'It went wrong', path };
  expect(await failureOf(new RemoteStore({ url }).getChat('c'))).toEqual(failure);
});

test('passes on an error without a code, and its status', async () => {
  const url = await answering(403, '{"errors": [{"message": "Not you"}]}');
  const failure = { code: 'INTERNAL', message: 'Not you', path: null };
  expect(await failureOf(new RemoteStore({ url }).getChat('c'))).toEqual(failure);
});

test('sends its headers with each request, and calls a function of headers each time', async () => {
  const seen: IncomingMessage[] = [];
  const url = await serve((request, response) => {
    seen.push(request);
    response.end('{"data": {"chat": null}}');
  });
  const fixed = new RemoteStore({ url: new URL(url), headers: { authorization: 'Bearer fixed' } });
  await fixed.getChat('c');
  let number = 0;
  const fresh = new RemoteStore({ url, headers: async () => ({ authorization: `Bearer ${(number += 1)}` }) });
  await fresh.getChat('c');
  await fresh.getChat('c');
  await new RemoteStore({ url, headers: () => ({ 'x-tenant': 't' }) }).getChat('c');
  expect(seen.map(({ method, headers }) => [method, headers['content-type'], headers['authorization']])).toEqual([
    ['POST', 'application/json', 'Bearer fixed'],
    ['POST', 'application/json', 'Bearer 1'],
    ['POST', 'application/json', 'Bearer 2'],
    ['POST', 'application/json', undefined],
  ]);
  expect(seen[3]?.headers['x-tenant']).toBe('t');
});
