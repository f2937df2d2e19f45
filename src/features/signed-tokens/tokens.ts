/** Bearer tokens (RFC 6750): JSON Web Tokens, checked with the keys and rules of the configuration. */
import {
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyResult,
  createRemoteJWKSet,
  customFetch,
  type FetchImplementation,
} from 'jose';
import { claimOf, isAdminBy } from './claims.js';
import { UnauthenticatedError, type UnauthenticatedReason, AuthenticationUnavailableError } from '../../auth/errors.js';
import {
  DEFAULT_ADMIN_CLAIM,
  DEFAULT_USER_CLAIM,
  MIN_SECRET_BYTES,
  type AuthOptions,
  hasCredentials,
} from './options.js';
import type { Authenticator, Session } from '../../auth/session.js';
import { userIdFault } from '../../auth/user-id.js';

/** Allowed difference between the clocks of two machines, in seconds. */
const CLOCK_TOLERANCE = 5;

/** Far above the length of real tokens; longer ones are not parsed. */
const MAX_TOKEN_LENGTH = 16 * 1024;

/**
 * Authenticates by a claim of a token, `sub` by default. A token without expiry is refused, because it could not be revoked.
 * @throws Error when the secret is too short, or the URL is invalid or has a password
 */
export function createTokenAuthenticator(options: AuthOptions): Authenticator {
  const { issuer, audience, adminClaim = DEFAULT_ADMIN_CLAIM, userClaim = DEFAULT_USER_CLAIM } = options;
  const { key, previousKey, checkKeys, algorithms } = keysOf(options);
  const rules = {
    algorithms,
    ...(issuer !== undefined && { issuer }),
    ...(audience !== undefined && { audience }),
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE,
  };
  async function verify(token: string): Promise<JWTVerifyResult> {
    try {
      return await jwtVerify(token, key, rules);
    } catch (error) {
      if (previousKey === null || !(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
      return jwtVerify(token, previousKey, rules);
    }
  }
  return {
    isDevelopment: false,
    authenticate: async ({ authorization }) => {
      if (authorization === null) {
        throw new UnauthenticatedError('A token is needed: send it as authorization, Bearer and the token', 'no token');
      }
      const token = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(authorization)?.[1];
      if (token === undefined || token.length > MAX_TOKEN_LENGTH) {
        throw new UnauthenticatedError('The authorization must be Bearer and a token', 'malformed');
      }
      const { payload } = await verify(token).catch(explain);
      return sessionOf(payload, userClaim, adminClaim);
    },
    checkKeys,
  };
}

interface Keys {
  key: JWTVerifyGetKey;
  /** Also tried for a token that `key` has not signed. */
  previousKey: JWTVerifyGetKey | null;
  checkKeys: () => Promise<void>;
  algorithms: string[];
}

function keysOf(options: AuthOptions): Keys {
  if (!('secret' in options)) {
    const algorithms = [...(options.algorithms ?? ['RS256'])];
    return { ...publishedKeys(options.jwksUrl), previousKey: null, algorithms };
  }
  const { secret, previousSecret } = options;
  return {
    key: keyOf(secret),
    previousKey: previousSecret === undefined ? null : keyOf(previousSecret),
    checkKeys: async () => {},
    algorithms: ['HS256'],
  };
}

function keyOf(secret: string): () => Promise<Uint8Array> {
  if (Buffer.byteLength(secret) < MIN_SECRET_BYTES) {
    throw new Error(`The secret that tokens are signed with must have at least ${MIN_SECRET_BYTES} bytes`);
  }
  return async () => new TextEncoder().encode(secret);
}

function sessionOf(claims: JWTPayload, userClaim: string, adminClaim: string): Session {
  const userId = claimOf(claims, userClaim);
  if (userId === undefined) {
    throw new UnauthenticatedError(`The token's claim ${userClaim} is missing or wrong`, `claim ${userClaim}`);
  }
  const fault = userIdFault(userId);
  if (fault !== null) throw new UnauthenticatedError(`The token's ${userClaim} ${fault}`, 'bad user id');
  return {
    viewer: { userId: userId as string, isAdmin: isAdminBy(adminClaim, claims) },
    expiresAt: (Number(claims.exp) + CLOCK_TOLERANCE) * 1000,
  };
}

/** Describes the fault of a token in our own words: the library's may contain parts of it. */
function explain(error: unknown): never {
  if (error instanceof errors.JWTExpired) throw new UnauthenticatedError('The token has expired', 'expired');
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim } = error;
    if (claim === 'nbf') {
      throw new UnauthenticatedError('The token is not valid yet: the clocks may differ', 'not valid yet');
    }
    throw new UnauthenticatedError(`The token's claim ${claim} is missing or wrong`, `claim ${claim}`);
  }
  if (error instanceof errors.JOSEError || error instanceof TypeError) {
    throw new UnauthenticatedError('The token is not one that this server accepts', reasonOf(error));
  }
  throw error;
}

/** Not sent to the client, because it would help to forge tokens. */
function reasonOf(error: Error): UnauthenticatedReason {
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'bad signature';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'wrong algorithm';
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return 'unknown key';
  return 'malformed';
}

/** Milliseconds that the issuer may take to answer. */
const KEYS_TIMEOUT_MS = 5_000;

/**
 * Pause after a failed request: the first one, doubled each time, up to the maximum, which clients get as Retry-After.
 */
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 5_000;

/** @throws Error when the URL has a password */
function publishedKeys(url: string): { key: JWTVerifyGetKey; checkKeys: () => Promise<void> } {
  if (hasCredentials(url)) throw new Error('The URL of the published keys must have no user and password');
  const keys = createRemoteJWKSet(new URL(url), { timeoutDuration: KEYS_TIMEOUT_MS, [customFetch]: pausingFetch() });
  const unavailable = (error: unknown): never => {
    const cause = new Error(`no keys from ${new URL(url).host}`, { cause: error });
    throw new AuthenticationUnavailableError({ cause });
  };
  return {
    key: async (header, token) => {
      try {
        return await keys(header, token);
      } catch (error) {
        if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
        return unavailable(error);
      }
    },
    checkKeys: () => keys.reload().catch(unavailable),
  };
}

/** Pauses requests after failures: otherwise each operation would send one to a failing issuer. */
function pausingFetch(): FetchImplementation {
  let [failure, pause, silentUntil]: [unknown, number, number] = [null, FIRST_PAUSE_MS, 0];
  return async (url, options) => {
    if (Date.now() < silentUntil) throw failure;
    try {
      const response = await fetch(url, options);
      if (response.status !== 200) throw new Error(`it answered with status ${response.status}`);
      const set = (await response.json()) as { keys?: unknown };
      if (!Array.isArray(set.keys)) throw new Error('it answered no set of keys');
      pause = FIRST_PAUSE_MS;
      return Response.json(set);
    } catch (error) {
      failure = error;
      silentUntil = Date.now() + pause;
      pause = Math.min(2 * pause, LAST_PAUSE_MS);
      throw error;
    }
  };
}
