/** Sign-in of the server's own pages at the issuer, with OpenID Connect. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { rawDatabase } from '../../support/database/raw-database.js';
import { startListening } from '../../support/server/listening-server.js';
import { AUTH } from '../../support/server/tokens.js';
import { auditFile } from '../audit/audited-server.js';
import { browserOf } from './issuer-browser.js';
import { startBoth } from './issuer-server.js';
import { AUDIENCE, CLIENT, CLIENT_SECRET, startIssuer, type Behaviour } from './issuer.js';
import { sendTo } from './page-sessions.js';

const RANDOM: unknown = expect.stringMatching(/^[\w-]{43}$/);

describe('a sign-in at the issuer', () => {
  it('opens a session of its user, and returns to the page', async () => {
    const { server, browser } = await startBoth({ user: { sub: 'ann', admin: true } });
    const { answer, address } = await browser.begin('/#/chats/one');
    const { port } = new URL(server.url);
    expect(answer.setCookie).toMatch(
      new RegExp(`^parley-sign-in-${port}=[\\w+/=]+; Path=/; Max-Age=600; HttpOnly; SameSite=Lax$`),
    );
    expect(Object.fromEntries(address.searchParams)).toEqual({
      client_id: CLIENT,
      response_type: 'code',
      scope: 'openid',
      redirect_uri: `http://127.0.0.1:${port}/session/callback`,
      code_challenge: RANDOM,
      code_challenge_method: 'S256',
      state: RANDOM,
      nonce: RANDOM,
      audience: AUDIENCE,
    });
    const { status, setCookies, headers, body } = await browser.open(await browser.authorize(address));
    expect(status).toBe(200);
    expect(setCookies).toEqual([
      `parley-sign-in-${port}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax`,
      expect.stringMatching(/^parley-\d+=[\w-]{43}; Path=\/; Max-Age=(29\d|30\d); HttpOnly; SameSite=Strict$/),
    ]);
    expect(body).toContain('data-user="ann" data-page="/#/chats/one"');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'sha256-[^']+';/);
    expect(headers['cache-control']).toBe('no-store');
    expect(await browser.user()).toBe('ann');
  });

  it('names the issuer to pages, or none', async () => {
    const { issuer, server } = await startBoth();
    const { body } = await sendTo(server.url)('GET', '/session/sign-in', {});
    expect(JSON.parse(body)).toEqual({ issuer: new URL(issuer.url).host });
    const other = sendTo((await startListening({ auth: AUTH })).url);
    expect(JSON.parse((await other('GET', '/session/sign-in', {})).body)).toEqual({ issuer: null });
    expect((await other('GET', '/session/callback', {})).status).toBe(404);
  });

  it('can be finished by another server of the database, behind https', async () => {
    const { issuer, server } = await startBoth();
    const second = await startListening({ auth: issuer.auth, databaseUrl: server.databaseUrl });
    const browser = browserOf(server, 'parley.example');
    const { answer, address } = await browser.begin();
    expect(answer.setCookie).toMatch(/^__Host-parley-sign-in=[^;]+; .*SameSite=Lax; Secure$/);
    expect(address.searchParams.get('redirect_uri')).toBe('https://parley.example/session/callback');
    const other = browserOf(second, 'parley.example');
    for (const [name, value] of browser.cookies) other.cookies.set(name, value);
    const { setCookies } = await other.open(await browser.authorize(address));
    expect(setCookies[1]).toMatch(/^__Host-parley=[\w-]{43}; .*SameSite=Strict; Secure$/);
    expect(await other.user()).toBe('ann');
  });

  it('ends the session that the browser had before', async () => {
    const { issuer, server, browser } = await startBoth();
    await browser.signIn();
    const before = new Map(browser.cookies);
    issuer.behaviour.user = { sub: 'bob' };
    await browser.signIn();
    expect(await browser.user()).toBe('bob');
    const old = browserOf(server);
    for (const [name, value] of before) old.cookies.set(name, value);
    expect(await old.user()).toBe(null);
    const rows = await (await rawDatabase(server.databaseUrl)).rows('SELECT "userId" FROM page_sessions');
    expect(rows).toEqual([{ userId: 'bob' }]);
  });

  it('is in the audit log, with the path of the callback and without tokens', async () => {
    const { auditLog, lines, text } = auditFile();
    const { server, browser } = await startBoth({}, { auditLog });
    await browser.signIn();
    await server.stop();
    expect(lines()).toMatchObject([{ event: 'session.opened', userId: 'ann', route: '/session', result: 'ok' }]);
    expect(text()).not.toMatch(/eyJ|code|state/);
  });

  it.each(['client_secret_basic', 'client_secret_post', 'none'] as const)(
    'authenticates the client with %s, as the issuer requires',
    async (method) => {
      const { browser } = await startBoth({ method });
      await browser.signIn();
      expect(await browser.user()).toBe('ann');
    },
  );

  it('requests the scopes of the settings', async () => {
    const issuer = await startIssuer();
    const oidc = { ...issuer.auth.oidc, scopes: 'openid roles' };
    const server = await startListening({ auth: { ...issuer.auth, oidc } });
    const { address } = await browserOf(server).begin();
    expect(address.searchParams.get('scope')).toBe('openid roles');
  });

  it('takes the ID token when the client is the audience, as of issuers whose access tokens are not JSON Web Tokens', async () => {
    const issuer = await startIssuer({ opaqueToken: 'opaque', idToken: { sub: 'ann' } });
    const server = await startListening({ auth: { ...issuer.auth, audience: CLIENT } });
    const browser = browserOf(server);
    const { address } = await browser.begin();
    expect(address.searchParams.has('audience')).toBe(false);
    await browser.open(await browser.authorize(address));
    expect(await browser.user()).toBe('ann');
  });

  it.each([
    ['is for another audience', { accessToken: { aud: 'other' } }, 'claim aud is missing or wrong'],
    ['is not a JSON Web Token', { opaqueToken: 'opaque' }, 'The token is not one that this server accepts'],
    ['has expired', { accessToken: { exp: 1 } }, 'The token has expired'],
    ['is of a reserved user', { accessToken: { sub: 'erased' } }, 'reserved for erased users'],
  ])('is refused when the access token %s', async (_, behaviour: Behaviour, reason) => {
    const { issuer, browser } = await startBoth(behaviour);
    const { status, body } = await browser.signIn();
    expect(status).toBe(401);
    expect(body).toContain(`The access_token of ${new URL(issuer.url).host} is not accepted. `);
    expect(body.replaceAll('&#39;', "'").replaceAll('&#34;', '"')).toContain(reason);
    expect([...browser.cookies.keys(), await browser.user()]).toEqual([null]);
  });

  it('takes the path of a page whose address is too long for a cookie', async () => {
    const { browser } = await startBoth();
    expect((await browser.signIn(`/graphql?query=${'x'.repeat(5_000)}`)).body).toContain('data-page="/graphql"');
    expect((await browser.signIn(`/${'x'.repeat(5_000)}`)).body).toContain('data-page="/"');
  });

  it('fails after 10 minutes', async () => {
    const { browser } = await startBoth();
    const { address } = await browser.begin();
    const callback = await browser.authorize(address);
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 601_000);
    onTestFinished(() => clock.mockRestore());
    const { status, body } = await browser.open(callback);
    expect([status, body]).toEqual([400, expect.stringContaining('in the last 10 minutes')]);
  });

  it('shows that the user refused, or the issuer', async () => {
    const { issuer, browser } = await startBoth();
    const { address } = await browser.begin();
    const callback = new URLSearchParams((await browser.authorize(address)).split('?')[1]);
    callback.delete('code');
    callback.set('error', 'access_denied');
    callback.set('error_description', '<b>text of the issuer</b>');
    const { status, body } = await browser.open(`/session/callback?${callback}`);
    expect(status).toBe(403);
    expect(body).toContain(`${new URL(issuer.url).host} refused the sign-in: access_denied`);
    expect(body).not.toContain('text of the issuer');
    expect([...browser.cookies]).toEqual([]);
  });

  it('never shows or logs what the issuer says about the client', async () => {
    const lines: string[] = [];
    const issuer = await startIssuer();
    const auth = { ...issuer.auth, oidc: { clientId: CLIENT, clientSecret: 'wrong' } };
    const other = browserOf(await startListening({ auth, log: (line) => lines.push(line) }));
    const { status, body } = await other.signIn();
    expect([status, body]).toEqual([502, expect.stringContaining('is not accepted: invalid_client')]);
    expect(lines).toContainEqual(`A sign-in at ${new URL(issuer.url).host} failed: invalid_client`);
    expect(body + lines.join()).not.toContain(CLIENT_SECRET);
  });
});
