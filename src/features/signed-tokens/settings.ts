/** The settings of authentication. */
import { z } from 'zod';
import { setting } from '../../settings/declare-setting.js';
import type { Fault, Reader } from '../../settings/read-environment.js';
import type { ValuesOf } from '../../settings/setting.js';
import {
  DEFAULT_ADMIN_CLAIM,
  DEFAULT_USER_CLAIM,
  hasCredentials,
  MIN_SECRET_BYTES,
  SIGNATURE_ALGORITHMS,
  type AuthOptions,
} from './options.js';

const secret = z
  .string()
  .refine((text) => Buffer.byteLength(text) >= MIN_SECRET_BYTES, `must have at least ${MIN_SECRET_BYTES} bytes`);

const keysUrl = z
  .string()
  .refine(isKeysUrl, 'must be https://, or http:// on a loopback address: a forged key would admit any user')
  .refine((url) => !hasCredentials(url), 'must have no user and password: published keys need none');

const scopes = z
  .string()
  .regex(/^[!#-[\]-~]+( [!#-[\]-~]+)*$/, 'must be names with one space between')
  .refine((list) => list.split(' ').includes('openid'), 'must contain openid');

const algorithms = z
  .string()
  .transform((list) => list.split(',').map((name) => name.trim()))
  .pipe(
    z.array(z.enum(SIGNATURE_ALGORITHMS, `must be some of ${SIGNATURE_ALGORITHMS.join(', ')}, with commas between`)),
  );

const claim = z.string().regex(/^[^=]+(=.+)?$/, 'must be the name of a claim that is true, or a name, = and a value');

/** Settings that require one of the ways to check tokens, by the names of AuthOptions. */
const rules = {
  issuer: setting('AUTH_ISSUER', z.string()).means('Required `iss` of a token'),
  audience: setting('AUTH_AUDIENCE', z.string()).means('Required `aud` of a token, alone or among its values'),
  algorithms: setting('AUTH_ALGORITHMS', algorithms).means(
    'Accepted signature algorithms, separated by commas; `RS256` with `AUTH_JWKS_URL`',
  ),
  adminClaim: setting<string | undefined>('AUTH_ADMIN_CLAIM', claim, {
    byDefault: DEFAULT_ADMIN_CLAIM,
    inDevelopment: undefined,
  }).means(
    'The claim of an admin: a name for a claim that is true; `roles=parley-admin` for one that equals or contains the text',
  ),
  userClaim: setting<string | undefined>('AUTH_USER_CLAIM', z.string(), {
    byDefault: DEFAULT_USER_CLAIM,
    inDevelopment: undefined,
  }).means('The claim with the id of a user. Choose one that never passes to another person, as an e-mail address can'),
};

/** A client of the issuer, by the names of OidcOptions. */
const client = {
  clientId: setting('AUTH_OIDC_CLIENT_ID', z.string()).means(
    'Users of the explorer and GraphiQL [sign in at the issuer](access/sessions.md#sign-in-at-the-issuer), of which this is a client. Requires `AUTH_JWKS_URL`, and a URL as `AUTH_ISSUER`',
  ),
  clientSecret: setting('AUTH_OIDC_CLIENT_SECRET', z.string(), { isSecret: true }).means(
    'The secret of the client, unless it is a public one',
  ),
  scopes: setting('AUTH_OIDC_SCOPES', scopes).means(
    'The scopes that the client requests, separated by spaces; by default `openid`',
  ),
};

/** By the names of AuthOptions. */
const authSettings = {
  jwksUrl: setting('AUTH_JWKS_URL', keysUrl).means(
    'URL of the public keys that verify tokens. Requires `AUTH_ISSUER` and `AUTH_AUDIENCE`. A start without keys logs a warning',
  ),
  secret: setting('AUTH_JWT_SECRET', secret, { isSecret: true }).means(
    'Instead of `AUTH_JWKS_URL`: the secret of HS256 tokens, at least 32 bytes',
  ),
  previousSecret: setting('AUTH_JWT_PREVIOUS_SECRET', secret, { isSecret: true }).means(
    'The secret before, whose tokens are accepted, too: see [Rotate signing keys](#rotate-signing-keys)',
  ),
  ...rules,
};

export interface TokenOptions {
  /**
   * Authentication. Without it the server is in development mode: every client is the admin `local`, or the user in its
   * header x-user-id, and the server listens on loopback only.
   */
  auth?: AuthOptions | undefined;
}

export const tokenRules = {
  declared: { ...authSettings, ...client },
  faultsOf: (read: Reader): Fault[] => [
    ...authFaults(read(authSettings, true)),
    ...clientFaults(read(client), read(authSettings)),
  ],
  optionsOf: (read: Reader): TokenOptions => ({ auth: authOf(read(authSettings), read(client)) }),
};

type AuthSettings = ValuesOf<typeof authSettings>;
type ClientSettings = ValuesOf<typeof client>;

/**
 * The faults of the settings in combination: a server must not start in development mode because of a mistake.
 * @param settings with the defaults of development, which has no claims
 */
function authFaults(settings: AuthSettings): Fault[] {
  const { jwksUrl, secret, previousSecret, issuer, audience, algorithms } = settings;
  const faults: Fault[] = [];
  if (jwksUrl !== undefined && secret !== undefined) {
    faults.push({ variable: 'AUTH_JWT_SECRET', message: 'cannot be given together with AUTH_JWKS_URL' });
  }
  if (secret === undefined && previousSecret !== undefined) {
    faults.push({ variable: 'AUTH_JWT_PREVIOUS_SECRET', message: 'must be set together with AUTH_JWT_SECRET' });
  }
  if (jwksUrl === undefined && secret === undefined) {
    const message = 'is set, but neither AUTH_JWKS_URL nor AUTH_JWT_SECRET is';
    for (const [name, { variable }] of Object.entries(rules)) {
      if (settings[name as keyof typeof rules] !== undefined) faults.push({ variable, message });
    }
  }
  if (jwksUrl !== undefined) {
    // An issuer with published keys also signs tokens for other services.
    const message = 'must be set together with AUTH_JWKS_URL';
    if (issuer === undefined) faults.push({ variable: 'AUTH_ISSUER', message });
    if (audience === undefined) faults.push({ variable: 'AUTH_AUDIENCE', message });
  }
  if (secret !== undefined && algorithms !== undefined) {
    faults.push({ variable: 'AUTH_ALGORITHMS', message: 'is for AUTH_JWKS_URL: a secret goes with HS256' });
  }
  return faults;
}

function clientFaults({ clientId, ...others }: ClientSettings, { jwksUrl, issuer }: AuthSettings): Fault[] {
  if (clientId === undefined) {
    const message = 'must be set together with AUTH_OIDC_CLIENT_ID';
    const given = Object.entries(others).filter(([, value]) => value !== undefined);
    return given.map(([name]) => ({ variable: client[name as keyof typeof others].variable, message }));
  }
  if (jwksUrl === undefined) {
    return [{ variable: 'AUTH_OIDC_CLIENT_ID', message: 'must be set together with AUTH_JWKS_URL' }];
  }
  if (issuer === undefined || keysUrl.safeParse(issuer).success) return [];
  const message = 'must be the https:// URL of the issuer with AUTH_OIDC_CLIENT_ID, without user and password';
  return [{ variable: 'AUTH_ISSUER', message }];
}

function authOf(
  { jwksUrl, secret, previousSecret, algorithms, ...rules }: AuthSettings,
  { clientId, ...others }: ClientSettings,
): AuthOptions | undefined {
  if (secret !== undefined) return { secret, previousSecret, ...rules };
  if (jwksUrl === undefined) return undefined;
  return { jwksUrl, algorithms, ...rules, ...(clientId !== undefined && { oidc: { clientId, ...others } }) };
}

function isKeysUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.[0-9.]+|\[::1\])$/.test(hostname));
}
