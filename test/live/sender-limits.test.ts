/** The limits of one user and one address, over HTTP and WebSocket combined. */
import { beforeEach, describe, expect, it } from 'vitest';
import { stopClock } from '../limits/stopped-clock.js';
import { postJson } from '../support/server/http-client.js';
import { startListening } from '../support/server/listening-server.js';
import { connectWebSocket, openWebSocket, upgradeStatus } from '../support/server/raw-websocket.js';
import { AUTH, bearer } from '../support/server/tokens.js';

const VIEWER = '{ viewer { userId } }';
const NOT_LIMITED = { rateLimitPerUser: 0, rateLimitPerAddress: 0, maxSocketsPerUser: 0, maxSocketsPerAddress: 0 };

async function status(url: string, headers: Record<string, string> = {}, variables = {}): Promise<number> {
  const sent = await postJson(url, { query: VIEWER, variables }, headers);
  await sent.arrayBuffer();
  return sent.status;
}

describe('operations', () => {
  beforeEach(stopClock);

  it('of a user are counted over both transports, and refused above the limit', async () => {
    const limits = { ...NOT_LIMITED, rateLimitPerUser: 4 };
    const { url, webSocketUrl } = await startListening({ auth: AUTH, limits });
    const alice = await bearer('alice');
    const { ask } = await connectWebSocket(webSocketUrl, { payload: alice });
    expect(await ask('1', VIEWER)).toHaveProperty('data');
    expect(await status(url, alice)).toBe(200);
    expect(await ask('2', VIEWER)).toHaveProperty('data');

    const refused = await postJson(url, { query: VIEWER }, alice);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('60');
    const message = 'This user has sent more than 4 operations in 60 seconds: retry in 60 seconds';
    expect(await refused.json()).toEqual({
      errors: [{ message, extensions: { code: 'RATE_LIMITED', retryAfter: 60 } }],
    });

    const answer = await ask('3', VIEWER);
    expect(answer.refused).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
    expect(answer.refused?.[0]?.extensions).not.toHaveProperty('http');
    expect(await status(url, await bearer('bob'))).toBe(200);
  });

  it('with long variables count as several', async () => {
    const { url } = await startListening({ auth: AUTH, limits: { ...NOT_LIMITED, rateLimitPerUser: 3 } });
    const alice = await bearer('alice');
    expect(await status(url, alice, { text: 'x'.repeat(600 * 1024) })).toBe(200);
    expect(await status(url, alice)).toBe(429);
  });

  it('of an address are counted for all of its users, with or without a token', async () => {
    const limits = { ...NOT_LIMITED, rateLimitPerAddress: 5 };
    const { url, webSocketUrl } = await startListening({ auth: AUTH, limits });
    const { ask } = await connectWebSocket(webSocketUrl, { payload: await bearer('alice') });
    expect(await status(url, await bearer('alice'))).toBe(200);
    expect(await status(url, await bearer('bob'))).toBe(200);
    expect(await status(url)).toBe(401);
    expect(await status(url, { authorization: 'Bearer guess' })).toBe(401);
    expect(await status(url, { authorization: 'Bearer another' })).toBe(429);
    expect(await status(url, await bearer('alice'))).toBe(429);
    expect((await ask('1', VIEWER)).refused).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
  });

  it('include connection_inits: tokens cannot be guessed faster over WebSocket', async () => {
    const limits = { ...NOT_LIMITED, rateLimitPerAddress: 2 };
    const { url, webSocketUrl } = await startListening({ auth: AUTH, limits });
    const guess = async () => {
      const { send, closed } = await openWebSocket(webSocketUrl);
      send({ type: 'connection_init', payload: { authorization: 'Bearer guess' } });
      return (await closed).code;
    };
    expect([await guess(), await guess(), await guess()]).toEqual([4403, 4403, 1013]);
    expect(await status(url, await bearer('alice'))).toBe(429);
  });

  it('count for the address in the header of a trusted proxy', async () => {
    const limits = { ...NOT_LIMITED, rateLimitPerAddress: 1 };
    const [trusting, careful] = await Promise.all([
      startListening({ limits, trustedProxies: ['127.0.0.0/8'] }),
      startListening({ limits }),
    ]);
    const from = (address: string) => ({ 'x-forwarded-for': address });
    expect(await status(trusting.url, from('203.0.113.1'))).toBe(200);
    expect(await status(trusting.url, from('203.0.113.2'))).toBe(200);
    expect(await status(trusting.url, from('203.0.113.1'))).toBe(429);
    // The nearest untrusted address counts: a client can invent those before it.
    expect(await status(trusting.url, from('198.51.100.1, 203.0.113.2'))).toBe(429);
    // A host has a whole IPv6 network, and IPv4-mapped IPv6 addresses count as IPv4.
    expect(await status(trusting.url, from('2001:db8:1:2::1'))).toBe(200);
    expect(await status(trusting.url, from('2001:db8:1:2:ffff::1'))).toBe(429);
    expect(await status(trusting.url, from('2001:db8:1:3::1'))).toBe(200);
    expect(await status(trusting.url, from('::ffff:203.0.113.1'))).toBe(429);

    expect(await status(careful.url, from('203.0.113.1'))).toBe(200);
    expect(await status(careful.url, from('203.0.113.2'))).toBe(429);
  });

  it('are not counted in development mode', async () => {
    const { url } = await startListening({ auth: AUTH, limits: { rateLimitPerUser: 1 } });
    const alice = await bearer('alice');
    expect([await status(url, alice), await status(url, alice)]).toEqual([200, 429]);
    const development = await startListening();
    const statuses = await Promise.all(Array.from({ length: 50 }, () => status(development.url)));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

describe('sockets', () => {
  it('and streams of a user are counted together', async () => {
    const limits = { ...NOT_LIMITED, maxSocketsPerUser: 2 };
    const { url, webSocketUrl, followers } = await startListening({ auth: AUTH, demo: true, limits });
    const alice = await bearer('ann', true);
    const body = { query: 'subscription { branchHead(chatId: "demo") { seq } }' };
    const follow = () => postJson(url, body, { ...alice, accept: 'text/event-stream' });
    const socket = await connectWebSocket(webSocketUrl, { payload: alice });
    const stream = await follow();
    expect(await (await follow()).text()).toContain('"code":"TOO_MANY_SOCKETS"');
    await stream.body!.cancel();
    await expect.poll(() => followers()).toBe(0);
    const again = await follow();
    expect(again.status).toBe(200);
    await again.body!.cancel();
    socket.socket.terminate();
  });

  it('of a user are limited; closing one admits another', async () => {
    const { webSocketUrl } = await startListening({ auth: AUTH, limits: { ...NOT_LIMITED, maxSocketsPerUser: 2 } });
    const payload = await bearer('alice');
    const [first] = [
      await connectWebSocket(webSocketUrl, { payload }),
      await connectWebSocket(webSocketUrl, { payload }),
    ];
    const third = await openWebSocket(webSocketUrl);
    third.send({ type: 'connection_init', payload });
    expect(await third.closed).toEqual({ code: 1013, reason: 'This user has reached the limit of open sockets' });
    await connectWebSocket(webSocketUrl, { payload: await bearer('bob') });
    first.socket.close();
    await first.closed;
    await connectWebSocket(webSocketUrl, { payload });
  });

  it('of an address are limited before authentication', async () => {
    const { url, webSocketUrl } = await startListening({ limits: { ...NOT_LIMITED, maxSocketsPerAddress: 2 } });
    const [first] = [await openWebSocket(webSocketUrl), await openWebSocket(webSocketUrl)];
    expect(await upgradeStatus(webSocketUrl)).toBe(429);
    expect(await status(url)).toBe(200);
    first.socket.terminate();
    await first.closed;
    // The server notices the close a moment later, on a separate connection.
    await expect.poll(() => upgradeStatus(webSocketUrl)).toBe(101);
  });
});
