/** Subscriptions over HTTP: the format of their streams for clients without a library. */
import { GraphQLError } from 'graphql';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SharedSubscriptions } from '../../../src/http/subscriptions/shared-subscriptions.js';
import { startListening } from '../../support/server/listening-server.js';
import { connectWebSocket } from '../../support/server/raw-websocket.js';
import { transports } from '../../support/server/transports.js';

const HEAD = 'subscription { branchHead(chatId: "demo") { branch { name } } }';
const NONE = 'subscription { branchHead(chatId: "none") { seq } }';

async function stream(url: string, query: string, headers: Record<string, string> = {}): Promise<Response> {
  const control = new AbortController();
  onTestFinished(() => control.abort());
  return fetch(`${url}?${new URLSearchParams({ query })}`, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: control.signal,
  });
}

describe('a stream of events', () => {
  it('begins with a comment, for browsers that wait for data, and has an event for each result', async () => {
    const { url } = await startListening({ demo: true });
    const { body } = await stream(url, HEAD);
    const expected = ':\n\nevent: next\ndata: {"data":{"branchHead":{"branch":{"name":"main"}}}}\n\n';
    let received = '';
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      received += chunk;
      if (received.length >= expected.length) break;
    }
    expect(received).toBe(expected);
  });

  it('ends with a complete event', async () => {
    const { url } = await startListening();
    const response = await stream(url, NONE);
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(/^:\n\nevent: next\ndata: \{"errors":.+\}\n\nevent: complete\ndata:\n\n$/);
  });

  it('answers a query, too', async () => {
    const { url } = await startListening();
    expect(await (await stream(url, '{ viewer { userId } }')).text()).toBe(
      ':\n\nevent: next\ndata: {"data":{"viewer":{"userId":"local"}}}\n\nevent: complete\ndata:\n\n',
    );
  });

  it('is for pages of allowed origins only', async () => {
    const { url } = await startListening({ demo: true, allowedOrigins: ['https://chat.example'] });
    for (const [origin, allowed] of [
      ['https://evil.example', null],
      ['https://chat.example', 'https://chat.example'],
    ] as const) {
      const { headers } = await stream(url, HEAD, { origin });
      expect(headers.get('access-control-allow-origin')).toBe(allowed);
    }
  });

  it('cannot be started by a form', async () => {
    const { url } = await startListening({ demo: true });
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data']) {
      const headers = { 'content-type': type, accept: 'text/event-stream' };
      const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query: HEAD }) });
      expect(status, type).toBe(415);
    }
  });

  it('does not run a mutation of a link', async () => {
    const server = await startListening();
    const response = await stream(server.url, 'mutation { createChat(input: { id: "c" }) { __typename } }');
    await response.text();
    expect(response.status).toBe(405);
    expect(await server.ask('{ chat(id: "c") { id } }')).toEqual({ data: { chat: null } });
  });
});

describe('a subscription that cannot continue', () => {
  /** The failure of an unavailable database. */
  const fail = () => {
    const [[, , follower]] = vi.mocked(SharedSubscriptions.prototype.follow).mock.calls as [
      Parameters<SharedSubscriptions['follow']>,
    ];
    follower.fail(new GraphQLError('The database is unavailable', { extensions: { code: 'DATABASE_UNAVAILABLE' } }));
  };

  const streams = Object.entries(transports).filter(([name]) => name !== 'over WebSocket');
  it.each(streams)('breaks off without an end %s, so that its client reconnects', async (_name, follow) => {
    const { url } = await startListening({ demo: true });
    const results = follow({ url, query: HEAD });
    expect(await results.next()).toMatchObject({ done: false });
    fail();
    await expect(results.next()).rejects.toThrow('terminated');
  });

  it('has its socket closed, so that its client reconnects', async () => {
    const { webSocketUrl } = await startListening({ demo: true });
    const { subscribe, take, closed } = await connectWebSocket(webSocketUrl);
    subscribe('1', HEAD);
    expect(await take()).toMatchObject({ id: '1', type: 'next' });
    fail();
    expect(await closed).toMatchObject({ code: 1013 });
  });
});
