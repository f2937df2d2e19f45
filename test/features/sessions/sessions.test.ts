/** Sessions of pages: POST /session with a token sets a cookie, which other pages cannot use. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHash } from 'node:crypto';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { connectWebSocket, openWebSocket } from '../../support/server/raw-websocket.js';
import { startListening } from '../../support/server/listening-server.js';
import { bearer } from '../../support/server/tokens.js';
import { JSON_BODY, startWithSessions, type SessionServer, type SignedIn } from './page-sessions.js';

const FOREIGN = 'http://chat.example';

describe('a session', () => {
  it('acts as the user of its token, over POST and WebSocket, and on the routes of pages', async () => {
    const server = await startWithSessions();
    const { page, setCookie } = await server.signIn(await bearer('alice'));
    expect(setCookie).toMatch(
      new RegExp(`^parley-${new URL(server.url).port}=[\\w-]{43}; Path=/; Max-Age=3\\d{3}; HttpOnly; SameSite=Strict$`),
    );
    expect(await server.userOf(page)).toBe('alice');
    const socket = await connectWebSocket(server.webSocketUrl, { headers: page });
    expect(await socket.ask('1', '{ viewer { userId isAdmin } }')).toEqual({
      data: { viewer: { userId: 'alice', isAdmin: false } },
    });
    const read = { cookie: page['cookie']!, 'sec-fetch-site': 'same-origin' };
    expect((await server.send('GET', '/export?chatId=one', read)).body).toContain('words in one');
    expect((await server.send('POST', '/import', { ...page, 'content-type': 'text/plain' }, 'x')).status).not.toBe(401);
    expect((await server.send('GET', '/metrics', read)).status).toBe(404);
    const admin = await server.signIn(await bearer('ann', true));
    const asAdmin = { ...read, cookie: admin.page['cookie']! };
    expect((await server.send('GET', '/metrics', asAdmin)).status).toBe(200);
  });

  it('has the rights of an access token, while that exists', async () => {
    const server = await startWithSessions();
    const { id, headers } = await server.token(await bearer('alice'), { scopes: ['READ'], chatId: 'one' });
    const { page } = await server.signIn(headers);
    expect(await server.userOf(page)).toBe('alice');
    const { data, errors } = await server.as(page, '{ one: chat(id: "one") { id } two: chat(id: "two") { id } }');
    expect([data, errors]).toEqual([{ one: { id: 'one' }, two: null }, undefined]);
    const rename = 'mutation { updateChat(input: { chatId: "one", title: "x" }) { __typename } }';
    expect((await server.as(page, rename)).errors?.[0]?.extensions?.['code']).toBe('READ_ONLY_TOKEN');

    const socket = await connectWebSocket(server.webSocketUrl, { headers: page });
    await server.as(await bearer('alice'), `mutation { revokeAccessToken(input: { id: "${id}" }) { __typename } }`);
    expect((await socket.closed).code).toBe(4403);
    expect(await server.userOf(page)).toBe(null);
  });

  it('ends with its token', async () => {
    const server = await startWithSessions();
    const { page, setCookie } = await server.signIn(await bearer('alice', false, 60));
    expect(setCookie).toMatch(/Max-Age=\d\d;/);
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 70_000);
    onTestFinished(() => clock.mockRestore());
    expect(await server.userOf(page)).toBe(null);
  });

  it('of a user with 100 ends with the next one, if it is the oldest', async () => {
    const server = await startWithSessions();
    const alice = await bearer('alice');
    const first = await server.signIn(alice);
    const second = await server.signIn(alice);
    for (let n = 2; n < 100; n++) await server.signIn(alice);
    expect(await server.userOf(first.page)).toBe('alice');
    await server.signIn(alice);
    expect([await server.userOf(first.page), await server.userOf(second.page)]).toEqual([null, 'alice']);
  });

  it('of an access token never ends those of others', async () => {
    const server = await startWithSessions();
    const alice = await server.signIn(await bearer('alice'));
    const { headers } = await server.token(await bearer('alice'), { scopes: ['READ'] });
    for (let n = 0; n < 100; n++) await server.signIn(headers);
    expect(await server.userOf(alice.page)).toBe('alice');
  });

  it('ends when the key that signed its token is no longer accepted', async () => {
    const databaseUrl = temporaryDatabaseUrl();
    const before = await startWithSessions({ databaseUrl });
    const { page } = await before.signIn(await bearer('alice'));
    const after = await startListening({
      databaseUrl,
      auth: { secret: 'another secret, of thirty-two bytes or more' },
    });
    const origin = new URL(after.url).origin;
    const cookie = page['cookie']!.replace(/\d+=/, `${new URL(after.url).port}=`);
    expect((await after.ask('{ viewer { userId } }', {}, { origin, cookie })).errors?.[0]?.extensions?.['code']).toBe(
      'UNAUTHENTICATED',
    );
  });

  it('is replaced by the next one of the same browser', async () => {
    const server = await startWithSessions();
    const { page } = await server.signIn(await bearer('alice'));
    const token = JSON.stringify({ token: (await bearer('bob')).authorization.slice('Bearer '.length) });
    await server.send('POST', '/session', { ...JSON_BODY, ...page }, token);
    expect(await server.userOf(page)).toBe(null);
  });

  it('is stored without its secret and its token', async () => {
    const server = await startWithSessions();
    const { setCookie } = await server.signIn(await bearer('alice'));
    const secret = /=([\w-]{43});/.exec(setCookie)![1]!;
    const [row] = await (await rawDatabase(server.databaseUrl)).rows<object>('SELECT * FROM page_sessions');
    expect(row).toMatchObject({ secretHash: createHash('sha256').update(secret).digest('hex') });
    expect(JSON.stringify(row)).not.toMatch(new RegExp(`${secret}|eyJ`));
  });

  it('does not exist in development mode', async () => {
    const { url } = await startListening();
    const origin = new URL(url).origin;
    const response = await fetch(`${origin}/session`, {
      method: 'POST',
      headers: { ...JSON_BODY, origin },
      body: '{}',
    });
    expect(response.status).toBe(404);
  });
});

describe('the end of a session', () => {
  const startFollowing = async (server: SessionServer, { page }: SignedIn) => {
    const socket = await connectWebSocket(server.webSocketUrl, { headers: page });
    socket.subscribe('1', 'subscription { chatEvents(chatId: "one", after: 0) { seq } }');
    await socket.take('1');
    return socket;
  };

  it('ends its sockets and its cookie, and no other session', async () => {
    const server = await startWithSessions();
    const [one, other] = [await server.signIn(await bearer('alice')), await server.signIn(await bearer('alice'))];
    const socket = await startFollowing(server, one);
    const { status, setCookie } = await server.send('DELETE', '/session', one.page);
    expect([status, setCookie]).toEqual([204, expect.stringMatching(/^parley-\d+=; Path=\/; Max-Age=0; /)]);
    expect((await socket.closed).code).toBe(4403);
    expect([await server.userOf(one.page), await server.userOf(other.page)]).toEqual([null, 'alice']);
  });

  it('can end all sessions of the user, on every server of the database', async () => {
    const server = await startWithSessions();
    const second = await startWithSessions({ databaseUrl: server.databaseUrl, sweepIntervalMs: 50 });
    const [one, other] = [await server.signIn(await bearer('alice')), await second.signIn(await bearer('alice'))];
    const bob = await server.signIn(await bearer('bob'));
    const socket = await startFollowing(second, other);
    expect((await server.send('DELETE', '/session?everywhere=true', one.page)).status).toBe(204);
    expect((await socket.closed).code).toBe(4403);
    expect([await server.userOf(one.page), await server.userOf(bob.page)]).toEqual([null, 'bob']);
  });

  it('counts as an operation, so that secrets cannot be guessed faster', async () => {
    const server = await startWithSessions({ limits: { rateLimitPerAddress: 20 } });
    const cookie = `parley-${new URL(server.url).port}=${'A'.repeat(43)}`;
    const end = async () => (await server.send('DELETE', '/session', { origin: server.origin, cookie })).status;
    const statuses: number[] = [];
    while (statuses.length < 60 && !statuses.includes(429)) statuses.push(await end());
    expect(statuses.slice(0, 2)).toEqual([204, 204]);
    expect(statuses.at(-1)).toBe(429);
  });

  it('of an access token everywhere ends those of the same token', async () => {
    const server = await startWithSessions();
    const alice = await server.signIn(await bearer('alice'));
    const { headers } = await server.token(await bearer('alice'), { scopes: ['READ'] });
    const [one, other] = [await server.signIn(headers), await server.signIn(headers)];
    await server.send('DELETE', '/session?everywhere=true', one.page);
    expect([await server.userOf(other.page), await server.userOf(alice.page)]).toEqual([null, 'alice']);
  });
});

describe('a foreign page', () => {
  it.each([
    ['of another origin', { origin: FOREIGN }],
    ['of an allowed origin', { origin: 'http://allowed.example' }],
    ['of a subdomain', { origin: 'http://sub.localhost:4000', 'sec-fetch-site': 'same-site' }],
    ['that hides its origin', { origin: 'null' }],
    ['without an origin, as of a link', { 'sec-fetch-site': 'cross-site' }],
    ['that is no page', {}],
    ['without TLS on the same host', { host: 'parley.example', origin: 'http://parley.example' }],
  ])('%s cannot use a session, over any transport', async (_name, headers: Record<string, string>) => {
    const server = await startWithSessions({ allowedOrigins: ['http://allowed.example'] });
    const { page } = await server.signIn(await bearer('alice'));
    const sent = { cookie: `${page['cookie']}; __Host-parley=${page['cookie']!.split('=')[1]}`, ...headers };
    const query = '{"query":"{ viewer { userId } }"}';
    expect((await server.send('POST', '/graphql', { ...JSON_BODY, ...sent }, query)).status).toBe(401);
    const statuses = [
      await server.send('GET', '/export?chatId=one', sent),
      await server.send('POST', '/import', { ...sent, 'content-type': 'text/plain' }, 'x'),
      await server.send('POST', '/files', sent, 'x'),
      await server.send('DELETE', '/session', sent),
      await server.send('POST', '/session', { ...JSON_BODY, ...sent }, '{}'),
    ].map(({ status }) => status);
    expect(statuses).toEqual([401, 401, 401, 403, 403]);
    const isRefused = headers['origin'] !== undefined && !/allowed|parley/.test(headers['origin']);
    if (!isRefused) {
      const socket = await openWebSocket(server.webSocketUrl, { headers: sent });
      socket.send({ type: 'connection_init' });
      expect((await socket.closed).code).toBe(4403);
    }
    expect(await server.userOf(page)).toBe('alice');
  });

  it('cannot use a session over GET or MCP, nor can the own one', async () => {
    const server = await startWithSessions();
    const { page } = await server.signIn(await bearer('alice'));
    const own = { ...page, 'sec-fetch-site': 'same-origin' };
    const query = encodeURIComponent('{ viewer { userId } }');
    expect((await server.send('GET', `/graphql?query=${query}`, own)).status).toBe(401);
    expect((await server.send('POST', '/mcp', { ...own, ...JSON_BODY }, '{}')).status).toBe(401);
  });
});

describe('POST /session', () => {
  it.each([
    [415, { 'content-type': 'text/plain' }, '{"token":"x"}', 'content type application/json'],
    [400, JSON_BODY, '{}', 'The body must be a JSON object with the text token'],
    [400, JSON_BODY, 'null', 'The body must be a JSON object with the text token'],
    [413, JSON_BODY, JSON.stringify({ token: 'x'.repeat(20_000) }), 'at most 16384 bytes'],
    [401, JSON_BODY, '{"token":"x"}', 'The token is not'],
    [401, JSON_BODY, '{"token":"parley_x"}', 'The token is not one that this server accepts'],
  ])('returns %i for a wrong request', async (status, headers, body, message) => {
    const server = await startWithSessions();
    const answer = await server.send('POST', '/session', { ...headers, origin: server.origin }, body);
    expect([answer.status, answer.setCookie]).toEqual([status, undefined]);
    expect(answer.body).toContain(message);
  });

  it('returns a new secret, so that a cookie of an attacker is not adopted', async () => {
    const server = await startWithSessions();
    const { authorization } = await bearer('alice');
    const name = `parley-${new URL(server.url).port}`;
    const known = 'A'.repeat(43);
    const body = JSON.stringify({ token: authorization.slice('Bearer '.length) });
    const headers = { ...JSON_BODY, origin: server.origin, cookie: `${name}=${known}` };
    const { setCookie = '' } = await server.send('POST', '/session', headers, body);
    expect(setCookie).not.toContain(known);
    expect(await server.userOf({ origin: server.origin, cookie: `${name}=${known}` })).toBe(null);
  });

  it('refuses a proxy that replaces the host, because the cookie would lack Secure', async () => {
    const server = await startWithSessions();
    const headers = { ...JSON_BODY, origin: 'https://parley.example', 'sec-fetch-site': 'same-origin' };
    const { status, body } = await server.send('POST', '/session', headers, '{"token":"x"}');
    expect([status, body]).toEqual([400, expect.stringContaining('must forward the Host header')]);
  });

  it('sets a cookie that other hosts of the domain cannot set, and reads no other', async () => {
    const server = await startWithSessions();
    const { authorization } = await bearer('alice');
    const host = 'parley.example';
    const body = JSON.stringify({ token: authorization.slice('Bearer '.length) });
    const own = { host, origin: `https://${host}` };
    const { setCookie = '' } = await server.send('POST', '/session', { ...JSON_BODY, ...own }, body);
    expect(setCookie).toMatch(/^__Host-parley=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/);
    const secret = /=([\w-]{43});/.exec(setCookie)![1]!;
    const viewerWith = (cookie: string) =>
      server.send('POST', '/graphql', { ...JSON_BODY, ...own, cookie }, '{"query":"{ viewer { userId } }"}');
    expect((await viewerWith(`a=b; __Host-parley=${secret}`)).body).toContain('alice');
    expect((await viewerWith(`parley-${new URL(server.url).port}=${secret}; parley-80=${secret}`)).status).toBe(401);
  });
});
