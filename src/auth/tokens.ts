/** Bearer tokens (RFC 6750): JSON Web Tokens, checked with the keys and rules of the configuration. */
import { errors, jwtVerify, type JWTPayload } from 'jose';
import { isAdminBy } from './admin-claim.js';
import { UnauthenticatedError, type UnauthenticatedReason } from './errors.js';
import { DEFAULT_ADMIN_CLAIM, MIN_SECRET_BYTES, type AuthOptions } from './options.js';
import { publishedKeys } from './published-keys.js';
import type { Authenticator, Session } from './session.js';
import { userIdFault } from './user-id.js';

/** Allowed difference between the clocks of two machines, in seconds. */
const CLOCK_TOLERANCE = 5;

/** Far above the length of real tokens; longer ones are not parsed. */
const MAX_TOKEN_LENGTH = 16 * 1024;

/**
 * Authenticates by the `sub` of a token. A token without expiry is refused, because it could not be revoked.
 * @throws Error when the secret is too short, or the URL is invalid or has a password
 */
export function createTokenAuthenticator(options: AuthOptions): Authenticator {
  const { issuer, audience, adminClaim = DEFAULT_ADMIN_CLAIM } = options;
  if ('secret' in options && Buffer.byteLength(options.secret) < MIN_SECRET_BYTES) {
    throw new Error(`The secret that tokens are signed with must have at least ${MIN_SECRET_BYTES} bytes`);
  }
  const { key, checkKeys, algorithms } =
    'secret' in options
      ? { key: async () => new TextEncoder().encode(options.secret), checkKeys: async () => {}, algorithms: ['HS256'] }
      : { ...publishedKeys(options.jwksUrl), algorithms: [...(options.algorithms ?? ['RS256'])] };
  const rules = {
    algorithms,
    ...(issuer !== undefined && { issuer }),
    ...(audience !== undefined && { audience }),
    requiredClaims: ['sub', 'exp'],
    clockTolerance: CLOCK_TOLERANCE,
  };
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
      const { payload } = await jwtVerify(token, key, rules).catch(explain);
      return sessionOf(payload, adminClaim);
    },
    checkKeys,
  };
}

function sessionOf({ sub, exp, ...claims }: JWTPayload, adminClaim: string): Session {
  const fault = userIdFault(sub);
  if (sub === undefined || fault !== null) throw new UnauthenticatedError(`The token's sub ${fault}`, 'bad user id');
  return {
    viewer: { userId: sub, isAdmin: isAdminBy(adminClaim, claims) },
    expiresAt: (Number(exp) + CLOCK_TOLERANCE) * 1000,
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
