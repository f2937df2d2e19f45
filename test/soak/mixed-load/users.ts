/** Users with tokens, each with an address that a proxy in front of the server forwards. */
import { signToken } from '../../../src/features/signed-tokens/sign-token.js';
import { SECRET } from '../../support/server/tokens.js';

export type Headers = Readonly<Record<string, string>>;

/** Longer than the soak. */
const TOKEN_LIFETIME_SECONDS = 7 * 24 * 3600;

/** @param place a unique number below 65,536 */
export async function userAt(place: number, userId: string, options: { isAdmin?: boolean; lifetime?: number } = {}) {
  const { isAdmin = false, lifetime = TOKEN_LIFETIME_SECONDS } = options;
  const token = await signToken({ secret: SECRET }, { userId, isAdmin, lifetime });
  return { authorization: `Bearer ${token}`, ...addressOf(place) } satisfies Headers;
}

/** The header that a proxy sets for a client with this address. */
export function addressOf(place: number): Headers {
  return { 'x-forwarded-for': `10.0.${(place >> 8) & 255}.${place & 255}` };
}
