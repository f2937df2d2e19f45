import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.js';
import { DEFAULT_LIMITS, DEVELOPMENT_LIMITS } from '../../../src/limits/limits.js';
import { createServer } from '../../../src/server.js';
import { SECRET } from '../../support/server/tokens.js';

const JWKS = 'https://id.example/.well-known/jwks.json';
const KEYS = { AUTH_JWKS_URL: JWKS, AUTH_ISSUER: 'https://id.example', AUTH_AUDIENCE: 'parley' };
const CLIENT = { AUTH_OIDC_CLIENT_ID: 'pages' };

describe('the settings of identity', () => {
  it('development mode has none', () => {
    const { auth, limits } = readConfig({});
    expect(auth).toBeUndefined();
    expect(limits).toEqual(DEVELOPMENT_LIMITS);
  });

  it('are a secret, or the URL of published keys', () => {
    const secret = readConfig({ AUTH_JWT_SECRET: SECRET });
    expect(secret.auth).toEqual({ secret: SECRET, adminClaim: 'admin', userClaim: 'sub' });
    expect(secret.limits).toEqual(DEFAULT_LIMITS);
    expect(readConfig({ AUTH_JWT_SECRET: 'ä'.repeat(16) }).auth).toBeDefined();
    const rules = { issuer: KEYS.AUTH_ISSUER, audience: KEYS.AUTH_AUDIENCE };
    expect(
      readConfig({ ...KEYS, AUTH_ALGORITHMS: 'RS256, ES256', AUTH_ADMIN_CLAIM: 'roles=boss', AUTH_USER_CLAIM: 'oid' })
        .auth,
    ).toEqual({
      jwksUrl: JWKS,
      algorithms: ['RS256', 'ES256'],
      adminClaim: 'roles=boss',
      userClaim: 'oid',
      ...rules,
    });
    expect(readConfig({ ...KEYS, AUTH_JWKS_URL: 'http://127.0.0.1:8080/keys' }).auth).toMatchObject(rules);
  });

  it('can name a client of the issuer, at which users of the pages sign in', () => {
    const client = { AUTH_OIDC_CLIENT_ID: 'pages', AUTH_OIDC_CLIENT_SECRET: 's' };
    expect(readConfig({ ...KEYS, ...client, AUTH_OIDC_SCOPES: 'openid roles' }).auth).toMatchObject({
      jwksUrl: JWKS,
      oidc: { clientId: 'pages', clientSecret: 's', scopes: 'openid roles' },
    });
    expect(readConfig({ ...KEYS, AUTH_OIDC_CLIENT_ID: 'pages' }).auth).toMatchObject({ oidc: { clientId: 'pages' } });
    const loopback = { ...KEYS, AUTH_ISSUER: 'http://127.0.0.1:8080', AUTH_OIDC_CLIENT_ID: 'pages' };
    expect(readConfig(loopback).auth).toMatchObject({ issuer: 'http://127.0.0.1:8080' });
    // Without a client, the name of the issuer can be any text.
    expect(readConfig({ ...KEYS, AUTH_ISSUER: 'me' }).auth).toEqual({
      jwksUrl: JWKS,
      issuer: 'me',
      audience: 'parley',
      adminClaim: 'admin',
      userClaim: 'sub',
    });
  });

  it.each([
    ['AUTH_OIDC_CLIENT_ID', { AUTH_OIDC_CLIENT_ID: 'pages' }, 'must be set together with AUTH_JWKS_URL'],
    ['AUTH_OIDC_CLIENT_ID', { ...CLIENT, AUTH_JWT_SECRET: SECRET }, 'must be set together with AUTH_JWKS_URL'],
    ['AUTH_OIDC_CLIENT_SECRET', { ...KEYS, AUTH_OIDC_CLIENT_SECRET: 's' }, 'together with AUTH_OIDC_CLIENT_ID'],
    ['AUTH_OIDC_SCOPES', { ...KEYS, AUTH_OIDC_SCOPES: 'openid' }, 'together with AUTH_OIDC_CLIENT_ID'],
    ['AUTH_OIDC_SCOPES', { ...KEYS, ...CLIENT, AUTH_OIDC_SCOPES: 'email' }, 'must contain openid'],
    ['AUTH_OIDC_SCOPES', { ...KEYS, ...CLIENT, AUTH_OIDC_SCOPES: 'openid,  email' }, 'names with one space between'],
    ['AUTH_ISSUER', { ...KEYS, ...CLIENT, AUTH_ISSUER: 'me' }, 'must be the https:// URL of the issuer'],
    ['AUTH_ISSUER', { ...KEYS, ...CLIENT, AUTH_ISSUER: 'http://id.example' }, 'must be the https:// URL of the issuer'],
    ['AUTH_ISSUER', { ...KEYS, ...CLIENT, AUTH_ISSUER: 'https://u:p@id.example' }, 'without user and password'],
    ['AUTH_ISSUER', { ...KEYS, ...CLIENT, AUTH_ISSUER: '' }, 'must be set together with AUTH_JWKS_URL'],
  ])('of a client report the error in %s: %o', (name, environment, message) => {
    expect(() => readConfig(environment)).toThrow(`  ${name}`);
    expect(() => readConfig(environment)).toThrow(message);
  });

  it.each([
    ['no issuer', { audience: 'parley' }],
    ['an issuer that is no URL', { issuer: 'me', audience: 'parley' }],
    ['an issuer without TLS', { issuer: 'http://id.example', audience: 'parley' }],
    ['no audience', { issuer: 'https://id.example' }],
  ])('of a client are checked also as options: %s', async (_, rules) => {
    const auth = { jwksUrl: JWKS, oidc: { clientId: 'pages' }, ...rules };
    await expect(createServer({ databaseUrl: ':memory:', auth })).rejects.toThrow(
      'auth.oidc requires auth.audience, and the https:// URL of the issuer as auth.issuer',
    );
  });

  it.each([
    ['AUTH_JWT_SECRET', { AUTH_JWT_SECRET: 'x'.repeat(31) }, 'must have at least 32 bytes'],
    ['AUTH_JWT_PREVIOUS_SECRET', { AUTH_JWT_SECRET: SECRET, AUTH_JWT_PREVIOUS_SECRET: 'short' }, 'at least 32 bytes'],
    ['AUTH_JWT_PREVIOUS_SECRET', { AUTH_JWT_PREVIOUS_SECRET: SECRET }, 'must be set together with AUTH_JWT_SECRET'],
    ['AUTH_USER_CLAIM', { AUTH_USER_CLAIM: 'oid' }, 'neither AUTH_JWKS_URL nor AUTH_JWT_SECRET is'],
    ['AUTH_JWT_SECRET', { ...KEYS, AUTH_JWT_SECRET: SECRET }, 'cannot be given together with AUTH_JWKS_URL'],
    ['AUTH_JWKS_URL', { ...KEYS, AUTH_JWKS_URL: 'http://id.example/keys' }, 'must be https://'],
    ['AUTH_JWKS_URL', { ...KEYS, AUTH_JWKS_URL: 'http://127.0.0.1.evil.example/' }, 'must be https://'],
    ['AUTH_JWKS_URL', { ...KEYS, AUTH_JWKS_URL: 'http://evil.localhost/' }, 'must be https://'],
    ['AUTH_JWKS_URL', { ...KEYS, AUTH_JWKS_URL: 'keys.json' }, 'must be https://'],
    ['AUTH_JWKS_URL', { ...KEYS, AUTH_JWKS_URL: 'https://u:p@id.example/' }, 'must have no user and password'],
    ['AUTH_JWKS_URL', { ...KEYS, AUTH_JWKS_URL: 'https://u@id.example/' }, 'must have no user and password'],
    ['AUTH_JWKS_URL', { ...KEYS, AUTH_JWKS_URL: 'https://:p@id.example/' }, 'must have no user and password'],
    ['AUTH_ISSUER', { ...KEYS, AUTH_ISSUER: '' }, 'must be set together with AUTH_JWKS_URL'],
    ['AUTH_AUDIENCE', { ...KEYS, AUTH_AUDIENCE: '' }, 'must be set together with AUTH_JWKS_URL'],
    ['AUTH_ALGORITHMS', { ...KEYS, AUTH_ALGORITHMS: 'RS256,HS256' }, 'must be some of RS256'],
    ['AUTH_ALGORITHMS', { ...KEYS, AUTH_ALGORITHMS: 'none' }, 'must be some of RS256'],
    ['AUTH_ALGORITHMS', { AUTH_JWT_SECRET: SECRET, AUTH_ALGORITHMS: 'RS256' }, 'a secret goes with HS256'],
    ['AUTH_ADMIN_CLAIM', { AUTH_JWT_SECRET: SECRET, AUTH_ADMIN_CLAIM: '=boss' }, 'must be the name of a claim'],
    ['AUTH_ADMIN_CLAIM', { AUTH_JWT_SECRET: SECRET, AUTH_ADMIN_CLAIM: 'roles=' }, 'must be the name of a claim'],
    // With these settings, a server requires tokens, so it does not start without a way to check them.
    ['AUTH_ISSUER', { AUTH_ISSUER: 'https://id.example' }, 'neither AUTH_JWKS_URL nor AUTH_JWT_SECRET is'],
    ['AUTH_AUDIENCE', { AUTH_AUDIENCE: 'parley' }, 'neither AUTH_JWKS_URL nor AUTH_JWT_SECRET is'],
    ['AUTH_ALGORITHMS', { AUTH_ALGORITHMS: 'RS256' }, 'neither AUTH_JWKS_URL nor AUTH_JWT_SECRET is'],
    ['AUTH_ADMIN_CLAIM', { AUTH_ADMIN_CLAIM: 'roles=boss' }, 'neither AUTH_JWKS_URL nor AUTH_JWT_SECRET is'],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: 'proxy.example' }, 'must be addresses or networks'],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: '10.0.0.0/33' }, 'must be addresses or networks'],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: '10.0.0.0/8/8' }, 'must be addresses or networks'],
  ])('report the error in %s: %o', (name, environment, message) => {
    expect(() => readConfig(environment)).toThrow(`  ${name}`);
    expect(() => readConfig(environment)).toThrow(message);
  });

  it.each([
    ['AUTH_JWT_SECRET', {}, 'SECRET', 'not long enough'],
    ['AUTH_JWKS_URL', KEYS, 'https://parley:SECRET@id.example/keys', 'hidden-password'],
  ])('do not contain the secret of %s in errors', (name, others, value, secret) => {
    const settings = { ...others, [name]: value.replace('SECRET', secret) };
    expect(() => readConfig(settings)).toThrow(name);
    expect(() => readConfig(settings)).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining(secret) as string }) as Error,
    );
  });

  it('accept all algorithms whose keys can be published', () => {
    const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
    expect(readConfig({ ...KEYS, AUTH_ALGORITHMS: algorithms.join() }).auth).toMatchObject({ algorithms });
  });

  it('accept addresses and networks of proxies', () => {
    const { trustedProxies } = readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, ::1,fd00::/8 ,192.0.2.1' });
    expect(trustedProxies).toEqual(['10.0.0.0/8', '::1', 'fd00::/8', '192.0.2.1']);
  });
});
