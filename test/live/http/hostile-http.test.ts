/** Requests that no browser sends: they are refused or answered, and others are answered meanwhile. */
import { describe, expect, it } from 'vitest';
import { startConfigured } from '../../support/server/configured-server.js';
import { startListening } from '../../support/server/listening-server.js';
import {
  head,
  isAnswered,
  JSON_TYPE,
  MiB,
  open,
  sendByteByByte,
  sendTooLarge,
  startWithLongTimeouts,
  TOO_LARGE,
} from './hostile-clients.js';

const ALICE = { 'x-user-id': 'alice' };

describe('a body', () => {
  it('that is too large is refused, with or without a declared length', async () => {
    const server = await startWithLongTimeouts(startConfigured);
    expect(await sendTooLarge(server)).toMatch(TOO_LARGE);
    const upload = open(server.url);
    upload.socket.write(head('POST', { ...JSON_TYPE, ...server.alice, 'content-length': String(5 * MiB) }));
    expect(await upload.answer).toMatch(TOO_LARGE);
    expect(await isAnswered(server)).toBe(true);
  });

  it('that arrives byte by byte is read', async () => {
    const server = await startWithLongTimeouts(startConfigured);
    expect(await sendByteByByte(server, 10_000)).toMatch(/^HTTP\/1\.1 200 [^]*"alice"/);
  });

  it('that is slow or never arrives times out', async () => {
    const server = await startWithLongTimeouts(startConfigured, { REQUEST_TIMEOUT_MS: '1000' });
    const headers = { ...JSON_TYPE, ...server.alice, 'content-length': '1000' };
    const beginnings = [
      '',
      'POST /gra',
      head('POST', headers).slice(0, -2),
      head('POST', headers),
      `${head('POST', headers)}{`,
    ];
    const clients = Array.from({ length: 8 }, () => beginnings)
      .flat()
      .map((beginning) => {
        const client = open(server.url);
        client.socket.write(beginning);
        return client;
      });
    expect(await isAnswered(server)).toBe(true);
    const answers = await Promise.all(clients.map(({ answer }) => answer));
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(await isAnswered(server)).toBe(true);
    await server.stop();
    expect(server.log()).not.toContain('"level":"error"');
  });

  it.each([
    [
      'is no UTF-8',
      Buffer.concat([Buffer.from('{"query":"{ viewer { userId } }'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
      'The body must be UTF-8',
    ],
    ['is no JSON', Buffer.from('{"query":"secret'), 'The body must be JSON'],
    ['is no object', Buffer.from('"{ viewer { userId } }"'), 'The body must be a JSON object'],
    ['is a list', Buffer.from('[{"query":"{ viewer { userId } }"}]'), 'Batching is not supported.'],
    [
      'has a prototype',
      Buffer.from('{"__proto__":{"query":"{ viewer { userId } }"}}'),
      'Unexpected parameter "__proto__" in the request body.',
    ],
  ])('that %s is refused with the reason', async (_, body, message) => {
    const { url } = await startListening();
    const response = await fetch(url, { method: 'POST', headers: { ...JSON_TYPE, ...ALICE }, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      errors: [{ message, extensions: { code: expect.any(String) as string } }],
    });
  });

  it('with keys of Object.prototype is read unchanged', async () => {
    const { ask, post } = await startListening();
    const metadata = '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},"toString":1}';
    const query =
      'mutation ($m: JSON) { createChat(input: { metadata: $m }) { ... on CreateChatPayload { chat { metadata } } } }';
    const body = `{"query":${JSON.stringify(query)},"variables":{"m":${metadata},"__proto__":{"m":{}}},"extensions":{"__proto__":{}}}`;
    const text = await (await post(body, ALICE)).text();
    expect(JSON.parse(/"metadata":(.+)\}\}\}\}$/.exec(text)![1]!)).toEqual(JSON.parse(metadata));
    expect(await ask('{ viewer { isAdmin } }', {}, ALICE)).toEqual({ data: { viewer: { isAdmin: false } } });
  });
});

describe('connections', () => {
  it('with too many headers are refused, and do not delay others', async () => {
    const server = await startWithLongTimeouts(startConfigured);
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`x-${n}`, 'y'.repeat(100)]));
    const clients = Array.from({ length: 20 }, () => {
      const client = open(server.url);
      client.socket.write(head('GET', many));
      return client;
    });
    // Clients that continue to write may be disconnected before they read the reason.
    const answers = await Promise.all(clients.map(({ answer }) => answer));
    for (const answer of answers) expect(answer).toMatch(/^$|^HTTP\/1\.1 431 /);
    expect(await isAnswered(server)).toBe(true);
  });

  it('with a few pipelined requests are answered, with hundreds they are closed', async () => {
    const { url } = await startListening();
    const request = (connection: string) =>
      head('GET', { accept: 'application/json', connection }).replace('/graphql', '/graphql?query={viewer{userId}}');
    const few = open(url);
    few.socket.write(request('keep-alive').repeat(9) + request('close'));
    expect((await few.answer).match(/"userId":"local"/g)).toHaveLength(10);
    const many = open(url);
    many.socket.write(request('keep-alive').repeat(400));
    expect((await many.answer).match(/"userId":"local"/g) ?? []).not.toHaveLength(400);
  });
});
