/** The settings of authentication. */
import { z } from 'zod';
import { hasCredentials } from './keys-url.js';
import {
  DEFAULT_ADMIN_CLAIM,
  DEFAULT_USER_CLAIM,
  MIN_SECRET_BYTES,
  SIGNATURE_ALGORITHMS,
  type AuthOptions,
} from './options.js';

const secret = z
  .string()
  .refine((text) => Buffer.byteLength(text) >= MIN_SECRET_BYTES, `must have at least ${MIN_SECRET_BYTES} bytes`)
  .optional();

export const authSettings = {
  /** URL of the published keys that verify tokens. */
  AUTH_JWKS_URL: z
    .string()
    .refine(isKeysUrl, 'must be https://, or http:// on a loopback address: a forged key would admit any user')
    .refine((url) => !hasCredentials(url), 'must have no user and password: published keys need none')
    .optional(),
  /** Secret of tokens signed with HS256. */
  AUTH_JWT_SECRET: secret,
  /** The secret before, whose tokens are accepted until they expire. */
  AUTH_JWT_PREVIOUS_SECRET: secret,
  /** Required `iss` of a token. */
  AUTH_ISSUER: z.string().optional(),
  /** Required `aud` of a token, or one of its values. */
  AUTH_AUDIENCE: z.string().optional(),
  /** Allowed algorithms of tokens with published keys. */
  AUTH_ALGORITHMS: z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim()))
    .pipe(
      z.array(z.enum(SIGNATURE_ALGORITHMS, `must be some of ${SIGNATURE_ALGORITHMS.join(', ')}, with commas between`)),
    )
    .optional(),
  /** The claim that makes a user an admin. */
  AUTH_ADMIN_CLAIM: z
    .string()
    .regex(/^[^=]+(=.+)?$/, 'must be the name of a claim that is true, or a name, = and a value')
    .optional(),
  /** The claim with the id of the user. */
  AUTH_USER_CLAIM: z.string().optional(),
};

/** Settings that require one of the ways to check tokens. */
const RULES = ['AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_ALGORITHMS', 'AUTH_ADMIN_CLAIM', 'AUTH_USER_CLAIM'] as const;

type AuthSettings = z.infer<z.ZodObject<typeof authSettings>>;

/** The faults of the settings in combination: a server must not start in development mode because of a mistake. */
export function authFaults(settings: AuthSettings): { path: string; message: string }[] {
  const { AUTH_JWKS_URL: url, AUTH_JWT_SECRET: secret, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience } = settings;
  const faults = [];
  if (url !== undefined && secret !== undefined) {
    faults.push({ path: 'AUTH_JWT_SECRET', message: 'cannot be given together with AUTH_JWKS_URL' });
  }
  if (secret === undefined && settings.AUTH_JWT_PREVIOUS_SECRET !== undefined) {
    faults.push({ path: 'AUTH_JWT_PREVIOUS_SECRET', message: 'must be set together with AUTH_JWT_SECRET' });
  }
  if (url === undefined && secret === undefined) {
    for (const path of RULES) {
      if (settings[path] !== undefined) {
        faults.push({ path, message: 'is set, but neither AUTH_JWKS_URL nor AUTH_JWT_SECRET is' });
      }
    }
  }
  if (url !== undefined) {
    // An issuer with published keys also signs tokens for other services.
    if (issuer === undefined) faults.push({ path: 'AUTH_ISSUER', message: 'must be set together with AUTH_JWKS_URL' });
    if (audience === undefined) {
      faults.push({ path: 'AUTH_AUDIENCE', message: 'must be set together with AUTH_JWKS_URL' });
    }
  }
  if (secret !== undefined && settings.AUTH_ALGORITHMS !== undefined) {
    faults.push({ path: 'AUTH_ALGORITHMS', message: 'is for AUTH_JWKS_URL: a secret goes with HS256' });
  }
  return faults;
}

/** Undefined means development mode. */
export function authOf(settings: AuthSettings): AuthOptions | undefined {
  const { AUTH_JWKS_URL: jwksUrl, AUTH_JWT_SECRET: secret } = settings;
  const rules = {
    issuer: settings.AUTH_ISSUER,
    audience: settings.AUTH_AUDIENCE,
    adminClaim: settings.AUTH_ADMIN_CLAIM ?? DEFAULT_ADMIN_CLAIM,
    userClaim: settings.AUTH_USER_CLAIM ?? DEFAULT_USER_CLAIM,
  };
  if (secret !== undefined) return { secret, previousSecret: settings.AUTH_JWT_PREVIOUS_SECRET, ...rules };
  if (jwksUrl !== undefined) return { jwksUrl, algorithms: settings.AUTH_ALGORITHMS, ...rules };
  return undefined;
}

function isKeysUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.[0-9.]+|\[::1\])$/.test(hostname));
}
