/** Access tokens: creation, rights, and refusals. */
import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { rawDatabase } from '../../support/database/raw-database.js';
import { startListening } from '../../support/server/listening-server.js';
import { bearer } from '../../support/server/tokens.js';
import { connectWebSocket } from '../../support/server/raw-websocket.js';
import { openStream } from '../../support/server/event-stream.js';
import { CREATE, startWithChats, type Headers } from '../../auth/access-tokens.js';

const LIST = `{ viewer { userId isAdmin
  accessTokens { totalCount edges { node { id name scopes chatId token lastUsedAt expiresAt } } }
} }`;
const RENAME = 'mutation { updateChat(input: { chatId: "one", title: "changed" }) { __typename } }';
const TITLE = '{ chat(id: "one") { title } }';

describe('an access token', () => {
  it('is shown once, stored as a hash, and acts as its user without admin rights', async () => {
    const { as, token, databaseUrl } = await startWithChats();
    const admin = await bearer('alice', true);
    const { id, headers } = await token(admin, { name: 'backup', expiresAt: '2999-01-01T00:00:00Z' });
    expect(headers['authorization']).toMatch(/^Bearer parley_[A-Za-z0-9_-]{43}$/);

    const listed = { id, name: 'backup', scopes: ['READ'], chatId: null, token: null };
    const node = { ...listed, lastUsedAt: null, expiresAt: '2999-01-01T00:00:00.000Z' };
    const accessTokens = { totalCount: 1, edges: [{ node }] };
    expect(await as(admin, LIST)).toEqual({ data: { viewer: { userId: 'alice', isAdmin: true, accessTokens } } });
    expect(await as(headers, LIST)).toMatchObject({ data: { viewer: { userId: 'alice', isAdmin: false } } });
    expect(await as(headers, '{ chat(id: "other") { id } chats { totalCount } }')).toEqual({
      data: { chat: null, chats: { totalCount: 2 } },
    });
    const [row] = await (await rawDatabase(databaseUrl)).rows<object>('SELECT * FROM access_tokens');
    const secret = headers['authorization']!.slice('Bearer '.length);
    expect(row).toMatchObject({ tokenHash: createHash('sha256').update(secret).digest('hex') });
    expect(JSON.stringify(row)).not.toContain(secret);
  });

  it('records its use', async () => {
    const { as, token, webSocketUrl } = await startWithChats();
    const alice = await bearer('alice');
    const { headers } = await token(alice);
    const used = async () => {
      const { data } = await as(alice, '{ viewer { accessTokens { edges { node { lastUsedAt } } } } }');
      type Listed = { accessTokens: { edges: { node: { lastUsedAt: string | null } }[] } };
      return (data!['viewer'] as Listed).accessTokens.edges[0]!.node.lastUsedAt;
    };
    expect(await used()).toBeNull();
    await as(headers, TITLE);
    await expect.poll(used).not.toBeNull();
    const first = await used();
    await as(headers, TITLE);
    expect(await used()).toBe(first);
    // A minute later, a socket uses it again.
    const socket = await connectWebSocket(webSocketUrl, { payload: headers });
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.parse(first!) + 60_000);
    onTestFinished(() => clock.mockRestore());
    await socket.ask('1', TITLE);
    await expect.poll(used).not.toBe(first);
  });

  it('works in development mode', async () => {
    const server = await startListening({ demo: true });
    const { data } = await server.ask(CREATE, { input: { name: 'script' } });
    const { token } = (data!['createAccessToken'] as { accessToken: { token: string } }).accessToken;
    const ask = async (authorization: string) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json', authorization } };
      const body = JSON.stringify({ query: '{ viewer { userId isAdmin } }' });
      return (await (await fetch(server.url, { ...init, body })).json()) as unknown;
    };
    expect(await ask(`Bearer ${token}`)).toEqual({ data: { viewer: { userId: 'local', isAdmin: false } } });
    expect(await ask('Bearer parley_wrong')).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
  });

  it('of another user is not listed and cannot be revoked', async () => {
    const { as, token } = await startWithChats();
    const [alice, bob] = [await bearer('alice'), await bearer('bob', true)];
    const { id, headers } = await token(alice);
    expect(await as(bob, LIST)).toMatchObject({ data: { viewer: { accessTokens: { totalCount: 0, edges: [] } } } });
    const revoke = `mutation { revokeAccessToken(input: { id: "${id}" }) { __typename } }`;
    expect(await as(bob, revoke)).toEqual({ data: { revokeAccessToken: { __typename: 'NotFoundError' } } });
    expect(await as(headers, TITLE)).toEqual({ data: { chat: { title: null } } });
  });

  it('is listed in pages, newest first', async () => {
    const { as, token } = await startWithChats();
    const alice = await bearer('alice');
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now());
    onTestFinished(() => clock.mockRestore());
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.unshift((await token(alice)).id);
    interface Tokens {
      totalCount: number;
      edges: { node: { id: string } }[];
      pageInfo: { hasNextPage: boolean; endCursor: string };
    }
    const read = async (page: string) => {
      const { data } = await as(
        alice,
        `{ viewer { accessTokens(${page}) { totalCount edges { node { id } } pageInfo { hasNextPage endCursor } } } }`,
      );
      const { totalCount, edges, pageInfo } = (data!['viewer'] as { accessTokens: Tokens }).accessTokens;
      return { totalCount, ids: edges.map(({ node }) => node.id), ...pageInfo };
    };
    const first = await read('first: 2');
    expect(first).toMatchObject({ totalCount: 5, ids: ids.slice(0, 2), hasNextPage: true });
    expect(await read(`first: 3, after: "${first.endCursor}"`)).toMatchObject({
      ids: ids.slice(2),
      hasNextPage: false,
    });
  });

  it('sees and revokes itself only, and creates no tokens', async () => {
    const { as, token } = await startWithChats();
    const alice = await bearer('alice');
    const other = await token(alice);
    const { id, headers } = await token(alice, { scopes: ['WRITE'] });
    expect(await as(headers, '{ viewer { accessTokens { edges { node { id scopes } } } } }')).toEqual({
      data: { viewer: { accessTokens: { edges: [{ node: { id, scopes: ['READ', 'WRITE'] } }] } } },
    });
    expect(await as(headers, CREATE, { input: { name: 'more' } })).toMatchObject({
      data: { createAccessToken: { __typename: 'InvalidInputError', path: null } },
    });
    const revoke = (which: string) => `mutation { revokeAccessToken(input: { id: "${which}" }) { __typename } }`;
    expect(await as(headers, revoke(other.id))).toMatchObject({
      data: { revokeAccessToken: { __typename: 'NotFoundError' } },
    });
    expect(await as(headers, revoke(id))).toMatchObject({
      data: { revokeAccessToken: { __typename: 'RevokeAccessTokenPayload' } },
    });
    expect(await as(headers, TITLE)).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
  });
});

it('unknown, revoked, expired and malformed tokens get the answer of an invalid JSON Web Token', async () => {
  const { as, token, url, databaseUrl, unexpectedErrors } = await startWithChats();
  const alice = await bearer('alice');
  const revoked = await token(alice);
  await as(alice, `mutation { revokeAccessToken(input: { id: "${revoked.id}" }) { __typename } }`);
  const expired = await token(alice, { expiresAt: '2999-01-01T00:00:00Z' });
  await (await rawDatabase(databaseUrl)).run(`UPDATE access_tokens SET "expiresAt" = 1 WHERE "id" = '${expired.id}'`);
  const answerTo = async (authorization: string) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', authorization } };
    const response = await fetch(url, { ...init, body: JSON.stringify({ query: TITLE }) });
    return [response.status, response.headers.get('www-authenticate'), (await response.json()) as unknown];
  };
  const [, , signature] = alice.authorization.split('.');
  const forged = await answerTo(alice.authorization.replace(signature!, 'A'.repeat(43)));
  expect(forged).toMatchObject([401, 'Bearer error="invalid_token"', { errors: [{}] }]);
  const unknown = `Bearer parley_${'a'.repeat(43)}`;
  for (const authorization of [
    revoked.headers['authorization']!,
    expired.headers['authorization']!,
    unknown,
    'Bearer parley_',
    `${unknown}x`,
    `bearer  parley_ü y`,
  ]) {
    expect([authorization, await answerTo(encodeURI(authorization).replaceAll('%20', ' '))]).toEqual([
      authorization,
      forged,
    ]);
  }
  expect(unexpectedErrors.size).toBe(0);
});

describe('createAccessToken refuses', () => {
  const refusals: [string, object, object][] = [
    ['an empty name', { name: '' }, { __typename: 'InvalidInputError', path: 'name' }],
    ['no scopes', { scopes: [] }, { __typename: 'InvalidInputError', path: 'scopes' }],
    [
      'an expiry in the past',
      { expiresAt: '2020-01-01T00:00:00Z' },
      { __typename: 'InvalidInputError', path: 'expiresAt' },
    ],
    ['the chat of another user, also for admins', { chatId: 'other' }, { __typename: 'NotFoundError' }],
    ['an unknown chat', { chatId: 'none' }, { __typename: 'NotFoundError' }],
    ['an impossible id of a chat', { chatId: '' }, { __typename: 'NotFoundError' }],
  ];
  it.each(refusals)('%s', async (_what, input, refusal) => {
    const { as, databaseUrl } = await startWithChats();
    const alice = await bearer('alice', true);
    expect(await as(alice, CREATE, { input: { name: 'script', ...input } })).toMatchObject({
      data: { createAccessToken: refusal },
    });
    expect(await (await rawDatabase(databaseUrl)).rows('SELECT "id" FROM access_tokens')).toEqual([]);
  });

  it('more than 100 tokens of a user', async () => {
    const { as, token } = await startWithChats();
    const alice = await bearer('alice');
    for (let n = 0; n < 100; n++) await token(alice);
    expect(await as(alice, CREATE, { input: { name: 'script' } })).toMatchObject({
      data: {
        createAccessToken: { __typename: 'InvalidInputError', message: expect.stringContaining('100') as string },
      },
    });
    await token(await bearer('bob'));
  });
});

describe('a token without WRITE', () => {
  const REFUSED = { errors: [{ extensions: { code: 'READ_ONLY_TOKEN' } }] };

  it('reads, searches and subscribes', async () => {
    const { as, token, route } = await startWithChats();
    const { headers } = await token(await bearer('alice'));
    expect(await as(headers, '{ search(query: "words") { edges { node { message { id } } } } }')).toMatchObject({
      data: { search: { edges: [{}, {}] } },
    });
    const post = (body: string, more?: Headers) =>
      route({ ...headers, ...more, 'content-type': 'application/json' }, '/graphql', { method: 'POST', body });
    const stream = await openStream({ post }, 'subscription { chatEvents(chatId: "one", after: 0) { seq } }');
    expect(await stream.next()).toEqual({ data: { chatEvents: { seq: 1 } } });
  });

  it('is refused by every mutation before it has an effect', async () => {
    const { as, token, webSocketUrl } = await startWithChats();
    const { id, headers } = await token(await bearer('alice'));
    expect(await as(headers, RENAME)).toMatchObject(REFUSED);
    expect(await as(headers, `mutation { revokeAccessToken(input: { id: "${id}" }) { __typename } }`)).toMatchObject(
      REFUSED,
    );
    expect(await as(headers, 'mutation { __typename }')).toMatchObject(REFUSED);
    const socket = await connectWebSocket(webSocketUrl, { payload: headers });
    expect(await socket.ask('1', RENAME)).toMatchObject(REFUSED);
    expect(await socket.ask('2', TITLE)).toEqual({ data: { chat: { title: null } } });
  });

  it('uploads and imports nothing', async () => {
    const { token, route } = await startWithChats();
    const { headers } = await token(await bearer('alice'));
    for (const path of ['/files', '/import']) {
      const init = { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: 'text' };
      const response = await route(headers, path, init);
      expect([path, response.status, await response.json()]).toMatchObject([path, 403, REFUSED]);
    }
    expect((await route(headers, '/export?chatId=one')).status).toBe(200);
  });
});

it('a token with WRITE changes, uploads and imports', async () => {
  const { as, token, route } = await startWithChats();
  const { headers } = await token(await bearer('alice'), { scopes: ['READ', 'WRITE'] });
  expect(await as(headers, RENAME)).toMatchObject({ data: { updateChat: { __typename: 'UpdateChatPayload' } } });
  const init = { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: 'text' };
  expect((await route(headers, '/files?name=a.txt', init)).status).toBe(201);
  const exported = await (await route(headers, '/export?chatId=one')).text();
  expect((await route(headers, '/import', { ...init, body: exported })).status).toBe(200);
});

it('the erasure of a user deletes the tokens', async () => {
  const { as, token, route } = await startWithChats();
  const { headers } = await token(await bearer('alice'));
  const erased = await route(await bearer('root', true), '/users?userId=alice', { method: 'DELETE' });
  expect(await erased.text()).toContain('"access_tokens":1');
  expect(await as(headers, TITLE)).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
});
