import { SignJWT } from 'jose';
import { claimOfAdmin } from './claims.js';
import { DEFAULT_ADMIN_CLAIM, DEFAULT_USER_CLAIM, type AuthOptions } from './options.js';

export interface TokenRequest {
  userId: string;
  isAdmin: boolean;
  /** Seconds until it expires. */
  lifetime: number;
}

/** A token that a server with the same options accepts, for trials and for issuers that have the secret. */
export function signToken(
  {
    secret,
    issuer,
    audience,
    adminClaim = DEFAULT_ADMIN_CLAIM,
    userClaim = DEFAULT_USER_CLAIM,
  }: AuthOptions & { secret: string },
  { userId, isAdmin, lifetime }: TokenRequest,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const token = new SignJWT({ ...(isAdmin && claimOfAdmin(adminClaim)), [userClaim]: userId })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt(now)
    .setExpirationTime(now + lifetime);
  if (issuer !== undefined) token.setIssuer(issuer);
  if (audience !== undefined) token.setAudience(audience);
  return token.sign(new TextEncoder().encode(secret));
}
