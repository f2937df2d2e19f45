/** The identity of clients over HTTP and WebSocket, in both modes. */
import { request } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { postJson } from '../support/server/http-client.js';
import { startListening } from '../support/server/listening-server.js';
import { connectWebSocket, openWebSocket } from '../support/server/raw-websocket.js';
import { freePort } from '../support/server/free-port.js';
import { AUTH, bearer } from '../support/server/tokens.js';

const VIEWER = '{ viewer { userId isAdmin } }';
const CREATE = 'mutation { createChat(input: { id: "made" }) { __typename } }';

async function post(url: string, query: string, headers: Record<string, string> = {}) {
  const response = await postJson(url, { query }, headers);
  return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
}

/** Replaces the clock for tokens and timers. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
}

describe('over HTTP', () => {
  it('a token identifies the user', async () => {
    const { url } = await startListening({ auth: AUTH });
    for (const [userId, isAdmin] of [
      ['alice', false],
      ['ann', true],
    ] as const) {
      const headers = { ...(await bearer(userId, isAdmin)), 'x-user-id': 'mallory' };
      expect(await post(url, VIEWER, headers)).toMatchObject({
        status: 200,
        body: { data: { viewer: { userId, isAdmin } } },
      });
    }
  });

  it('nothing is executed without a valid token', async () => {
    const { url, unexpectedErrors } = await startListening({ auth: AUTH });
    const none = await post(url, CREATE, { 'x-user-id': 'local' });
    expect(none.status).toBe(401);
    expect(none.headers.get('www-authenticate')).toBe('Bearer');
    expect(none.body).toEqual({
      errors: [{ message: expect.any(String) as string, extensions: { code: 'UNAUTHENTICATED' } }],
    });

    const expired = await post(url, CREATE, await bearer('alice', true, -60));
    expect(expired.status).toBe(401);
    expect(expired.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    expect(expired.body).toEqual({
      errors: [{ message: 'The token has expired', extensions: { code: 'UNAUTHENTICATED' } }],
    });

    const asAdmin = await bearer('ann', true);
    expect(await post(url, '{ chat(id: "made") { id } }', asAdmin)).toMatchObject({ body: { data: { chat: null } } });
    expect(unexpectedErrors.size).toBe(0);
  });

  it('errors of a document are not reported without a valid token', async () => {
    const { url } = await startListening({ auth: AUTH });
    for (const query of ['{ no such thing', '{ __schema { types { name } } }']) {
      expect(await post(url, query)).toMatchObject({ body: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] } });
    }
    const got = await fetch(`${url}?query=${encodeURIComponent(VIEWER)}`, { headers: { accept: 'application/json' } });
    expect(got.status).toBe(401);
  });

  it('GraphQL is served at one path only', async () => {
    const { url, unexpectedErrors } = await startListening({ auth: AUTH });
    const paths = [
      '/graphql/',
      '/x/graphql',
      '//graphql',
      '/foo?a=/graphql',
      '/metrics/graphql',
      '/%67raphql',
      '/x/health',
    ];
    for (const path of paths) {
      const response = await postJson(new URL(url).origin + path, { query: VIEWER });
      expect([path, response.status, await response.text()]).toEqual([path, 404, '']);
    }
    expect(unexpectedErrors.size).toBe(0);
  });

  it('while tokens cannot be verified, none is reported as invalid', async () => {
    const jwksUrl = `http://127.0.0.1:${await freePort()}/keys`;
    const { url, webSocketUrl, unexpectedErrors } = await startListening({ auth: { jwksUrl } });
    const token = await bearer('alice');
    // With another algorithm, the server does not look up the key.
    const authorization = token.authorization.replace(
      / .+?\./,
      ` ${Buffer.from('{"alg":"RS256"}').toString('base64url')}.`,
    );
    const { status, headers, body } = await post(url, VIEWER, { authorization });
    const id = [...unexpectedErrors.keys()][0];
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'AUTHENTICATION_UNAVAILABLE', id } }] });
    const { send, closed } = await openWebSocket(webSocketUrl);
    send({ type: 'connection_init', payload: { authorization } });
    expect((await closed).code).toBe(1013);
  });

  it('a stream breaks off when its token expires', async () => {
    const { url, followers } = await startListening({ auth: AUTH, demo: true });
    stopClock();
    const headers = { ...(await bearer('ann', true)), accept: 'text/event-stream' };
    const stream = await postJson(url, { query: 'subscription { branchHead(chatId: "demo") { seq } }' }, headers);
    const reader = stream.body!.getReader();
    let text = '';
    while (!text.includes('"seq"')) text += Buffer.from((await reader.read()).value ?? []).toString();
    vi.advanceTimersByTime(3_606_000);
    await expect(reader.read().then(({ value }) => Buffer.from(value ?? []).toString())).rejects.toThrow();
    expect(followers()).toBe(0);
  });
});

/** A connection_init whose nesting JSON.parse accepts and JSON.stringify cannot write. */
const nested = (name: string) =>
  `{ "type": "connection_init", "payload": { "${name}": ${'['.repeat(20_000)}${']'.repeat(20_000)} } }`;

describe('over WebSocket', () => {
  const FOLLOW = 'subscription { branchHead(chatId: "demo") { seq } }';

  it.each([['payload'], ['headers']] as const)('a token in the %s identifies the user', async (place) => {
    const { webSocketUrl } = await startListening({ auth: AUTH });
    const token = await bearer('alice');
    const { ask } = await connectWebSocket(webSocketUrl, { [place]: { ...token, 'x-user-id': 'mallory' } });
    expect(await ask('1', VIEWER)).toEqual({ data: { viewer: { userId: 'alice', isAdmin: false } } });
  });

  it('a token in the payload has precedence', async () => {
    const { webSocketUrl } = await startListening({ auth: AUTH });
    const { authorization } = await bearer('alice');
    const options = { headers: await bearer('ann', true), payload: { Authorization: authorization } };
    const { ask } = await connectWebSocket(webSocketUrl, options);
    expect(await ask('1', VIEWER)).toMatchObject({ data: { viewer: { userId: 'alice' } } });
  });

  it.each([
    ['none', {}, /^A token is needed/],
    ['no text', { authorization: { token: 'x' } }, /^The authorization must be Bearer and a token$/],
    ['nested too deep', nested('authorization'), /^The authorization must be Bearer and a token$/],
    ['not accepted', { authorization: 'Bearer x.y.z' }, /^The token is not one that this server accepts$/],
  ])('a socket whose token is %s is closed with 4403', async (_how, payload, reason) => {
    const { webSocketUrl, unexpectedErrors } = await startListening({ auth: AUTH });
    const { send, closed } = await openWebSocket(webSocketUrl);
    send(typeof payload === 'string' ? payload : { type: 'connection_init', payload });
    expect(await closed).toEqual({ code: 4403, reason: expect.stringMatching(reason) as string });
    expect(unexpectedErrors.size).toBe(0);
  });

  it('a socket is closed with 4403 when its token expires, even if its client reads slowly', async () => {
    const { webSocketUrl, followers } = await startListening({ auth: AUTH, demo: true });
    stopClock();
    const client = await connectWebSocket(webSocketUrl, { payload: await bearer('ann', true, 60) });
    client.subscribe('follow', FOLLOW);
    await client.take('follow');
    const filler = 'x'.repeat(500_000);
    for (let n = 0; n < 20; n++) {
      const document = `mutation ($t: String!) { m${n}: saveMessages(input: { chatId: "demo", messages: [{ name: "user", content: { text: $t } }] }) { __typename } }`;
      await client.ask(`save ${n}`, document, { t: filler });
    }
    client.socket.pause();
    client.subscribe('read', '{ chat(id: "demo") { activeBranch { chain { data } } } }');
    vi.advanceTimersByTime(66_000);
    // The time that the server gives a socket to close.
    vi.advanceTimersByTime(5_000);
    await expect.poll(() => followers()).toBe(0);
    client.socket.resume();
    expect((await client.closed).code).not.toBe(1000);
  });

  it('a socket is closed with 4403 when its token expires, and its subscriptions end', async () => {
    const { webSocketUrl, followers } = await startListening({ auth: AUTH, demo: true });
    stopClock();
    const short = await connectWebSocket(webSocketUrl, { payload: await bearer('ann', true, 60) });
    const long = await connectWebSocket(webSocketUrl, { payload: await bearer('ann', true, 120) });
    for (const { subscribe, take } of [short, long]) {
      subscribe('1', FOLLOW);
      await take('1');
    }
    vi.advanceTimersByTime(66_000);
    expect(await short.closed).toEqual({ code: 4403, reason: 'The token has expired' });
    await expect.poll(() => followers()).toBe(1);
    expect(await long.ask('2', VIEWER)).toMatchObject({ data: { viewer: { isAdmin: true } } });
  });
});

describe('in development mode', () => {
  it('every client is the admin of this machine, or the user in its header', async () => {
    const { url, webSocketUrl } = await startListening();
    const asked = async (headers: Record<string, string>) => (await post(url, VIEWER, headers)).body;
    const local = { data: { viewer: { userId: 'local', isAdmin: true } } };
    const alice = { data: { viewer: { userId: 'alice', isAdmin: false } } };
    expect(await asked({ authorization: 'Bearer whatever' })).toEqual(local);
    expect(await asked({ 'x-user-id': 'local' })).toEqual(local);
    expect(await asked({ 'x-user-id': 'alice' })).toEqual(alice);
    expect(await (await connectWebSocket(webSocketUrl)).ask('1', VIEWER)).toEqual(local);
    const named = await connectWebSocket(webSocketUrl, { payload: { 'x-user-id': 'alice' } });
    expect(await named.ask('1', VIEWER)).toEqual(alice);
  });

  it('an invalid user id is refused', async () => {
    const { url } = await startListening();
    expect(await post(url, VIEWER, { 'x-user-id': 'a'.repeat(256) })).toMatchObject({
      status: 401,
      body: { errors: [{ message: 'x-user-id must have at most 255 characters, not 256' }] },
    });
  });
});

describe('with tokens', () => {
  it('the server listens on any address, and accepts any host name', async () => {
    const { url } = await startListening({ auth: AUTH, host: '0.0.0.0' });
    const { port } = new URL(url);
    const status = (host: string) =>
      new Promise((resolve, reject) => {
        const sent = request({ host: '127.0.0.1', port, path: '/health/live', headers: { host } }, (response) => {
          resolve(response.resume().statusCode);
        });
        sent.on('error', reject).end();
      });
    expect(await Promise.all(['chat.example', 'chat.example:443', '[::1]', 'a b', 'a/b', 'a@b'].map(status))).toEqual([
      200, 200, 200, 400, 400, 400,
    ]);
  });
});
