/** Attacks on the sign-in at the issuer. */
import { describe, expect, it } from 'vitest';
import { startListening } from '../../support/server/listening-server.js';
import { browserOf, type IssuerBrowser } from './issuer-browser.js';
import { CLIENT, startIssuer, type Behaviour } from './issuer.js';
import { startBoth } from './issuer-server.js';
import { JSON_BODY, sendTo } from './page-sessions.js';

const NOT_BEGUN = 'This browser did not begin this sign-in';

/** The path of a callback with a changed parameter; without it if the value is null. */
function changed(path: string, name: string, value: string | null): string {
  const parameters = new URLSearchParams(path.split('?')[1]);
  if (value === null) parameters.delete(name);
  else parameters.set(name, value);
  return `/session/callback?${parameters}`;
}

/** Expects that a callback opens no session. */
async function refuse(browser: IssuerBrowser, path: string, reason: string): Promise<void> {
  const { status, body, setCookies } = await browser.open(path);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(body).toContain(reason);
  expect(setCookies.filter((each) => !each.includes('Max-Age=0;'))).toEqual([]);
  expect(await browser.user()).toBe(null);
}

describe('a callback', () => {
  it.each([
    ['another state', 'state', 'A'.repeat(43)],
    ['no state', 'state', null],
    ['a state that is none', 'state', '../'],
  ])('with %s is refused, and the sign-in can go on', async (_, name, value) => {
    const { issuer, browser } = await startBoth();
    const callback = await browser.authorize((await browser.begin()).address);
    await refuse(browser, changed(callback, name, value), NOT_BEGUN);
    expect(issuer.requests).not.toContain('/token');
    await browser.open(callback);
    expect(await browser.user()).toBe('ann');
  });

  it('with two states is refused', async () => {
    const { issuer, browser } = await startBoth();
    const callback = await browser.authorize((await browser.begin()).address);
    await refuse(browser, `${callback}&state=${'A'.repeat(43)}`, 'OAUTH_INVALID_RESPONSE');
    expect(issuer.requests).not.toContain('/token');
  });

  it('works once', async () => {
    const { server, browser } = await startBoth();
    const callback = await browser.authorize((await browser.begin()).address);
    const begun = new Map(browser.cookies);
    await browser.open(callback);
    expect((await browser.open(callback)).body).toContain(NOT_BEGUN);
    expect(await browser.user()).toBe('ann');
    // The issuer refuses the code for a browser that keeps the cookie.
    const thief = browserOf(server);
    for (const [name, value] of begun) thief.cookies.set(name, value);
    await refuse(thief, callback, 'invalid_grant');
  });

  it('of an attacker is refused in the browser of a victim (login CSRF)', async () => {
    const { issuer, server, browser: victim } = await startBoth();
    issuer.behaviour.user = { sub: 'mallory' };
    const attacker = browserOf(server);
    const callback = await attacker.authorize((await attacker.begin()).address);
    await refuse(victim, callback, NOT_BEGUN);
    // The victim has begun a sign-in, too.
    const { address } = await victim.begin();
    await refuse(victim, callback, NOT_BEGUN);
    const injected = changed(callback, 'state', address.searchParams.get('state'));
    await refuse(victim, injected, 'invalid_grant');
  });

  it.each([
    ['of another issuer', 'https://attacker.example'],
    ['without the name of the issuer, which the issuer always sends', null],
  ])('%s is refused, and the code stays secret (mix-up)', async (_, value) => {
    const { issuer, browser } = await startBoth();
    const callback = await browser.authorize((await browser.begin()).address);
    await refuse(browser, changed(callback, 'iss', value), 'OAUTH_INVALID_RESPONSE');
    expect(issuer.requests).not.toContain('/token');
  });

  it('with a code of another client is refused', async () => {
    const { browser } = await startBoth();
    const { address } = await browser.begin();
    address.searchParams.set('client_id', 'another-client');
    await refuse(browser, await browser.authorize(address), 'invalid_grant');
  });

  it('with a code for another verifier is refused (PKCE)', async () => {
    const { browser } = await startBoth();
    const { address } = await browser.begin();
    address.searchParams.set('code_challenge', 'A'.repeat(43));
    await refuse(browser, await browser.authorize(address), 'invalid_grant');
  });

  it.each<[string, Behaviour, string]>([
    ['nonce', { idToken: { nonce: 'another' } }, 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'],
    ['issuer', { idToken: { iss: 'https://attacker.example' } }, 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'],
    ['client', { idToken: { aud: 'another-client' } }, 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'],
    ['issuer in its access token', { accessToken: { iss: 'https://attacker.example' } }, 'claim iss is missing'],
  ])('whose tokens are of another %s is refused', async (_, behaviour, reason) => {
    const { browser } = await startBoth(behaviour);
    await refuse(browser, await browser.authorize((await browser.begin()).address), reason);
  });

  it('with an ID token that another key has signed is refused', async () => {
    const attacker = await startIssuer();
    const issuer = await startIssuer();
    const auth = { ...issuer.auth, jwksUrl: attacker.auth.jwksUrl, audience: CLIENT };
    const browser = browserOf(await startListening({ auth, log: () => {} }));
    const callback = await browser.authorize((await browser.begin()).address);
    await refuse(browser, callback, 'The id_token of');
  });

  it.each([
    '//attacker.example/',
    '/\\attacker.example/',
    '/.//attacker.example/',
    '/..//attacker.example/',
    'https://attacker.example/',
    'javascript:alert(1)',
    '/\t/attacker.example/',
    'attacker.example',
  ])('never opens a page of another host: %j', async (page) => {
    const { browser } = await startBoth();
    const { body } = await browser.signIn(page);
    const [, opened = ''] = /data-page="([^"]*)"/.exec(body)!;
    expect(new URL(opened, 'https://parley.example').host).toBe('parley.example');
    expect(opened).toMatch(/^\/(?!\/)/);
  });

  it('shows the user and the page as text', async () => {
    const { browser } = await startBoth({ user: { sub: '"><script>alert(1)</script>' } });
    const { status, body } = await browser.signIn(`/#"'><script>alert(1)</script>`);
    expect(status).toBe(200);
    expect(body.match(/<script>/g)).toHaveLength(1);
    expect(body).not.toContain('alert(1)</script>');
  });

  it('shows the code of an error of the issuer only if it is one', async () => {
    const { browser } = await startBoth();
    const { address } = await browser.begin();
    const callback = changed(await browser.authorize(address), 'code', null);
    await refuse(
      browser,
      changed(callback, 'error', '<b>call 0800</b>'),
      'refused the sign-in: OAUTH_AUTHORIZATION_RESPONSE_ERROR',
    );
  });
});

describe('another page', () => {
  it.each([
    ['of another site', { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' }],
    ['of another host of the site', { origin: 'http://sub.localhost:4000', 'sec-fetch-site': 'same-site' }],
    ['that hides its origin', { origin: 'null' }],
    ['that is no page', {}],
  ])('%s cannot begin a sign-in', async (_, headers: Record<string, string>) => {
    const { issuer, server } = await startBoth();
    const send = sendTo(server.url);
    const { status, setCookies } = await send('POST', '/session/sign-in', { ...JSON_BODY, ...headers }, '{"page":"/"}');
    expect([status, setCookies]).toEqual([403, []]);
    expect(issuer.requests).not.toContain('/.well-known/openid-configuration');
  });

  it.each([
    [415, { 'content-type': 'text/plain' }, '{"page":"/"}'],
    [400, JSON_BODY, '{}'],
    [413, JSON_BODY, JSON.stringify({ page: 'x'.repeat(70_000) })],
  ])('gets %i for a wrong request', async (status, headers, body) => {
    const { server } = await startBoth();
    const sent = { ...headers, origin: new URL(server.url).origin };
    expect((await sendTo(server.url)('POST', '/session/sign-in', sent, body)).status).toBe(status);
  });

  it('counts for the limit of its address, as its callbacks do', async () => {
    const { issuer, browser } = await startBoth({}, { limits: { rateLimitPerAddress: 20 } });
    const callback = await browser.authorize((await browser.begin()).address);
    const begun = new Map(browser.cookies);
    const statuses: number[] = [];
    while (statuses.length < 60 && !statuses.includes(429)) statuses.push((await browser.begin()).answer.status);
    expect([statuses[0], statuses.at(-1)]).toEqual([200, 429]);
    for (const [name, value] of begun) browser.cookies.set(name, value);
    const { status, headers, setCookies } = await browser.open(callback);
    expect([status, headers['retry-after'], setCookies]).toEqual([429, expect.stringMatching(/^\d+$/), []]);
    expect(issuer.requests).not.toContain('/token');
  });
});
