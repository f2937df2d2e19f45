import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { base64url, exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AuthenticationUnavailableError, UnauthenticatedError } from '../../../src/auth/errors.js';
import type { AuthOptions } from '../../../src/features/signed-tokens/options.js';
import { signToken } from '../../../src/features/signed-tokens/sign-token.js';
import { createTokenAuthenticator } from '../../../src/features/signed-tokens/tokens.js';
import { SECRET } from '../../support/server/tokens.js';

const NOW = Math.floor(Date.now() / 1000);
const ALICE = { sub: 'alice', exp: NOW + 600 };

function sign(claims: JWTPayload, secret = SECRET, alg = 'HS256'): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));
}

function authenticate(options: AuthOptions, token: string, scheme = 'Bearer') {
  const { authenticate } = createTokenAuthenticator(options);
  return authenticate({ authorization: `${scheme} ${token}`, userId: 'mallory' });
}

async function refusalError(options: AuthOptions, token: string): Promise<UnauthenticatedError> {
  const error: unknown = await authenticate(options, token).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UnauthenticatedError);
  return error as UnauthenticatedError;
}

const refusal = async (options: AuthOptions, token: string) => (await refusalError(options, token)).message;

describe('a token signed with the secret', () => {
  const auth = { secret: SECRET };

  it('contains the user and the expiry', async () => {
    const session = { viewer: { userId: 'alice', isAdmin: false }, expiresAt: (ALICE.exp + 5) * 1000 };
    expect(await authenticate(auth, await sign(ALICE))).toEqual(session);
    expect(await authenticate(auth, await sign(ALICE), 'bearer')).toEqual(session);
  });

  it('is accepted until five seconds after its expiry, because clocks differ', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: (ALICE.exp + 4) * 1000 });
    onTestFinished(() => void vi.useRealTimers());
    expect((await authenticate(auth, await sign(ALICE))).viewer.userId).toBe('alice');
    vi.setSystemTime((ALICE.exp + 5) * 1000);
    expect(await refusal(auth, await sign(ALICE))).toBe('The token has expired');
  });

  it('is checked with a secret of sufficient length', () => {
    expect(() => createTokenAuthenticator({ secret: 'x'.repeat(31) })).toThrow('must have at least 32 bytes');
    expect(() => createTokenAuthenticator({ secret: 'x'.repeat(32) })).not.toThrow();
    expect(() => createTokenAuthenticator({ secret: 'ä'.repeat(16) })).not.toThrow();
  });

  it('can be created by npm run token', async () => {
    const rules = { ...auth, issuer: 'https://id.example', audience: 'parley', adminClaim: 'roles=boss' };
    const request = { userId: 'ann', isAdmin: true, lifetime: 60 };
    const { viewer, expiresAt } = await authenticate(rules, await signToken(rules, request));
    expect(viewer).toEqual({ userId: 'ann', isAdmin: true });
    expect(expiresAt! / 1000 - NOW).toBeGreaterThanOrEqual(60);
    const user = await authenticate(rules, await signToken(rules, { ...request, isAdmin: false }));
    expect(user.viewer.isAdmin).toBe(false);
  });

  it.each([
    ['has expired', { ...ALICE, exp: NOW - 60 }, 'The token has expired'],
    ['has no end', { sub: 'alice' }, "The token's claim exp is missing or wrong"],
    ['is not valid yet', { ...ALICE, nbf: NOW + 60 }, 'The token is not valid yet: the clocks may differ'],
    ['has no sub', { exp: ALICE.exp }, "The token's claim sub is missing or wrong"],
    ['has an empty sub', { ...ALICE, sub: '' }, "The token's sub must not be empty"],
    ['has a sub that databases cannot store', { ...ALICE, sub: 'a\0' }, "The token's sub must not contain U+0000"],
    [
      'has the sub of erased users',
      { ...ALICE, sub: 'erased' },
      'The token\'s sub must not be "erased", which is reserved for erased users',
    ],
    ['has a sub that is not a string', { ...ALICE, sub: 7 as never }, "The token's sub must be a string"],
  ])('is refused when it %s', async (_, claims, message) => {
    expect(await refusal(auth, await sign(claims))).toBe(message);
  });

  it.each([
    ['issuer', { issuer: 'https://id.example' }, { iss: 'https://other.example' }, 'iss'],
    ['issuer, and names none', { issuer: 'https://id.example' }, {}, 'iss'],
    ['audience', { audience: 'parley' }, { aud: ['another', 'parley-2'] }, 'aud'],
    ['audience, and names none', { audience: 'parley' }, {}, 'aud'],
  ])('is refused when it is of another %s', async (_, rules, claims, name) => {
    const message = await refusal({ ...auth, ...rules }, await sign({ ...ALICE, ...claims }));
    expect(message).toBe(`The token's claim ${name} is missing or wrong`);
  });

  it.each([
    ['expired', () => sign({ ...ALICE, exp: NOW - 60 })],
    ['not valid yet', () => sign({ ...ALICE, nbf: NOW + 60 })],
    ['claim exp', () => sign({ sub: 'alice' })],
    ['claim sub', () => sign({ exp: ALICE.exp })],
    ['bad user id', () => sign({ ...ALICE, sub: '' })],
    ['bad signature', () => sign(ALICE, `${SECRET}.`)],
    ['wrong algorithm', () => sign(ALICE, SECRET, 'HS512')],
    ['malformed', () => Promise.resolve('a.b.c')],
    ['malformed', () => Promise.resolve('ä')],
  ])('is refused with the reason "%s" for the log', async (reason, token) => {
    expect((await refusalError(auth, await token())).reason).toBe(reason);
  });

  it('is accepted when its audience is one of several', async () => {
    const token = await sign({ ...ALICE, aud: ['another', 'parley'], iss: 'https://id.example' });
    const { viewer } = await authenticate({ ...auth, audience: 'parley', issuer: 'https://id.example' }, token);
    expect(viewer.userId).toBe('alice');
  });

  it('is refused when it is signed with another secret or algorithm, or not at all', async () => {
    const unsigned = `${base64url.encode('{"alg":"none"}')}.${base64url.encode(JSON.stringify(ALICE))}.`;
    const [head, , signature] = (await sign(ALICE)).split('.');
    const forged = `${head}.${base64url.encode(JSON.stringify({ ...ALICE, sub: 'bob' }))}.${signature}`;
    const others = [
      await sign(ALICE, `${SECRET}.`),
      await sign(ALICE, SECRET, 'HS512'),
      unsigned,
      forged,
      'x',
      'a.b.c',
    ];
    for (const token of others) {
      expect(await refusal(auth, token)).toBe('The token is not one that this server accepts');
    }
  });

  it('is not parsed without the Bearer scheme, or above the maximum length', async () => {
    const { authenticate } = createTokenAuthenticator(auth);
    for (const authorization of [
      '',
      'Bearer',
      'Basic YTpi',
      'Bearer a b',
      'Bearer ä',
      `Bearer ${'a'.repeat(20_000)}`,
    ]) {
      const refused = authenticate({ authorization, userId: null });
      await expect(refused).rejects.toThrow('The authorization must be Bearer and a token');
    }
    await expect(authenticate({ authorization: null, userId: 'alice' })).rejects.toThrow('A token is needed');
  });

  it.each([
    [undefined, { admin: true }, true],
    [undefined, { admin: 'true' }, false],
    [undefined, {}, false],
    ['constructor', {}, false],
    ['https://example.com/admin', { 'https://example.com/admin': true }, true],
    ['roles=boss', { roles: ['user', 'boss'] }, true],
    ['roles=boss', { roles: ['bossy'] }, false],
    ['roles=boss', { roles: true }, false],
    ['scope=chat:admin', { scope: 'openid chat:admin' }, true],
    ['scope=chat:admin', { scope: 'openid chat:administrator' }, false],
    ['kind=a=b', { kind: 'a=b' }, true],
    ['realm_access.roles=boss', { realm_access: { roles: ['boss'] } }, true],
    ['realm_access.roles=boss', { realm_access: { roles: ['user'] } }, false],
    ['realm_access.roles=boss', { realm_access: 'roles' }, false],
    ['realm_access.roles=boss', { 'realm_access.roles': ['user'], realm_access: { roles: ['boss'] } }, false],
    ['a.constructor.name', { a: {} }, false],
    ['a.b', { a: null }, false],
    ['rights.admin', { rights: { admin: true } }, true],
  ])('with the admin claim %s and the claims %o, is of an admin: %s', async (adminClaim, claims, isAdmin) => {
    const { viewer } = await authenticate({ ...auth, adminClaim }, await sign({ ...ALICE, ...claims }));
    expect(viewer.isAdmin).toBe(isAdmin);
  });

  it.each([
    ['oid', { oid: 'ann' }],
    ['user.id', { user: { id: 'ann' } }],
    ['https://id.example/user', { 'https://id.example/user': 'ann' }],
  ])('has the user of the claim %s', async (userClaim, claims) => {
    const rules = { ...auth, userClaim };
    const { viewer } = await authenticate(rules, await sign({ ...ALICE, ...claims }));
    expect(viewer.userId).toBe('ann');
    const own = await signToken(rules, { userId: 'bob', isAdmin: false, lifetime: 60 });
    expect((await authenticate(rules, own)).viewer.userId).toBe('bob');
    expect(await refusal(rules, await sign(ALICE))).toBe(`The token's claim ${userClaim} is missing or wrong`);
    expect(await refusal(rules, await sign({ ...ALICE, [userClaim]: 7 }))).toBe(
      `The token's ${userClaim} must be a string`,
    );
  });

  it('is accepted with the secret before, unless it has another fault', async () => {
    const before = 'the secret of last year, of 32 bytes or more';
    const rotated = { ...auth, previousSecret: before };
    const { viewer } = await authenticate(rotated, await sign(ALICE, before));
    expect(viewer.userId).toBe('alice');
    expect((await authenticate(rotated, await sign(ALICE))).viewer).toEqual(viewer);
    for (const secret of [before, SECRET]) {
      expect(await refusal(rotated, await sign({ ...ALICE, exp: NOW - 60 }, secret))).toBe('The token has expired');
    }
    expect(await refusal(rotated, await sign(ALICE, `${before}.`))).toContain('not one that this server accepts');
    expect(await refusal(auth, await sign(ALICE, before))).toContain('not one that this server accepts');
    expect(() => createTokenAuthenticator({ ...rotated, previousSecret: 'short' })).toThrow('at least 32 bytes');
  });
});

describe('a token whose issuer publishes keys', () => {
  /** Publishes keys until the response is changed. */
  async function publisher() {
    const keys: object[] = [];
    const state = { status: 200, asked: 0, body: (): object => ({ keys }) };
    const server = createServer((_request, response) => {
      state.asked++;
      response.writeHead(state.status, { 'content-type': 'application/json' }).end(JSON.stringify(state.body()));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const publish = async (kid: string, alg: string) => {
      const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
      keys.push({ ...(await exportJWK(publicKey)), kid, alg, use: 'sig' });
      return (claims: JWTPayload, header = {}) =>
        new SignJWT({ iss: 'https://id.example', aud: 'parley', ...claims })
          .setProtectedHeader({ alg, kid, ...header })
          .sign(privateKey);
    };
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
    return { auth: { jwksUrl: url, issuer: 'https://id.example', audience: 'parley' }, keys, state, publish };
  }

  it('is checked with the published keys', async () => {
    const { auth, publish } = await publisher();
    const [first, second] = [await publish('first', 'RS256'), await publish('second', 'RS256')];
    const { authenticate } = createTokenAuthenticator(auth);
    for (const signWith of [first, second]) {
      const authorization = `Bearer ${await signWith({ ...ALICE, admin: true })}`;
      const { viewer } = await authenticate({ authorization, userId: null });
      expect(viewer).toEqual({ userId: 'alice', isAdmin: true });
    }
  });

  it('is refused if its algorithm is not configured, even if its key is published', async () => {
    const { auth, publish } = await publisher();
    const token = await (await publish('curve', 'ES256'))(ALICE);
    expect(await refusal(auth, token)).toBe('The token is not one that this server accepts');
    const { viewer } = await authenticate({ ...auth, algorithms: ['RS256', 'ES256'] }, token);
    expect(viewer.userId).toBe('alice');
  });

  it('is refused when a public key was used as a secret', async () => {
    const { auth, keys, publish } = await publisher();
    await publish('first', 'RS256');
    const token = await new SignJWT({ ...ALICE, iss: 'https://id.example', aud: 'parley' })
      .setProtectedHeader({ alg: 'HS256', kid: 'first' })
      .sign(new TextEncoder().encode(JSON.stringify(keys[0])));
    expect(await refusal(auth, token)).toBe('The token is not one that this server accepts');
  });

  it('is refused when its key is not published, or any published key may be its own', async () => {
    const { auth, keys, publish } = await publisher();
    const signWithFirst = await publish('first', 'RS256');
    const signWithRemoved = await publish('gone', 'RS256');
    const nameless = await signWithFirst(ALICE, { kid: undefined });
    const refused = { message: 'The token is not one that this server accepts', reason: 'unknown key' };
    expect(await refusalError(auth, nameless)).toMatchObject(refused);
    keys.pop();
    expect(await refusalError(auth, await signWithRemoved(ALICE))).toMatchObject(refused);
    expect((await authenticate(auth, nameless)).viewer.userId).toBe('alice');
  });

  it('is refused when its key is too short', async () => {
    const { auth, keys } = await publisher();
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    keys.push(publicKey.export({ format: 'jwk' }));
    const [, payload, signature] = (await sign(ALICE)).split('.');
    const token = `${base64url.encode('{"alg":"RS256"}')}.${payload}.${signature}`;
    expect(await refusal(auth, token)).toBe('The token is not one that this server accepts');
  });

  it('is not checked with keys at a URL that is invalid or has a password', () => {
    const jwksUrl = 'https://parley:password@id.example/keys';
    expect(() => createTokenAuthenticator({ jwksUrl })).toThrow('must have no user and password');
    expect(() => createTokenAuthenticator({ jwksUrl: 'keys' })).toThrow('Invalid URL');
  });

  it('unavailable keys are reported before the first token', async () => {
    const { auth, state, publish } = await publisher();
    await publish('first', 'RS256');
    await expect(createTokenAuthenticator(auth).checkKeys()).resolves.toBeUndefined();
    state.status = 404;
    await expect(createTokenAuthenticator(auth).checkKeys()).rejects.toThrow(AuthenticationUnavailableError);
  });

  it('cannot be checked while the keys are unavailable, and is not reported as invalid', async () => {
    const { auth, state, publish } = await publisher();
    const token = await (await publish('first', 'RS256'))(ALICE);
    const { authenticate } = createTokenAuthenticator(auth);
    const credentials = { authorization: `Bearer ${token}`, userId: null };
    state.status = 503;
    await expect(authenticate(credentials)).rejects.toThrow(AuthenticationUnavailableError);
    state.status = 200;
    stopClockAt(Date.now() + 500);
    expect((await authenticate(credentials)).viewer.userId).toBe('alice');
  });

  it.each([
    ['is unavailable', { status: 500 }],
    ['returns no keys', { body: () => ({}) }],
  ])('does not cause repeated requests for keys while the issuer %s', async (_, change) => {
    const { auth, state, publish } = await publisher();
    const token = await (await publish('first', 'RS256'))(ALICE);
    const { authenticate } = createTokenAuthenticator(auth);
    const credentials = { authorization: `Bearer ${token}`, userId: null };
    const good = { ...state };
    Object.assign(state, change);
    const now = Date.now();
    const clock = stopClockAt(now);
    // In seconds: at once, half a second later, and finally every five seconds.
    const asked: number[] = [];
    for (let second = 0; second < 25; second += 0.5) {
      clock.mockReturnValue(now + second * 1000);
      const before = state.asked;
      const three = [1, 2, 3].map(() => authenticate(credentials).then(String, (error: Error) => error.constructor));
      expect(new Set(await Promise.all(three))).toEqual(new Set([AuthenticationUnavailableError]));
      if (state.asked > before) asked.push(second);
    }
    expect([asked, state.asked]).toEqual([[0, 0.5, 1.5, 3.5, 7.5, 12.5, 17.5, 22.5], 8]);

    // A success ends the pauses.
    clock.mockReturnValue(now + 30_000);
    Object.assign(state, good);
    await authenticate(credentials);
    Object.assign(state, change);
    for (const [ms, requests] of [
      [0, 2],
      [499, 2],
      [500, 3],
    ] as const) {
      // The keys of the success are kept for ten minutes.
      clock.mockReturnValue(now + 700_000 + ms);
      await expect(authenticate(credentials)).rejects.toThrow(AuthenticationUnavailableError);
      expect(state.asked).toBe(requests);
    }
  });
});

function stopClockAt(time: number) {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(time);
  onTestFinished(() => clock.mockRestore());
  return clock;
}
