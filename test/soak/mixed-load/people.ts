/** Who asks: users with tokens, each from an address of their own, as a proxy in front of the server would tell it. */
import { signToken } from '../../../src/auth/sign-token.js';
import { SECRET } from '../../support/server/tokens.js';

export type Headers = Readonly<Record<string, string>>;

/** Tokens that outlast the soak, in seconds. */
const LONG = 7 * 24 * 3600;

/** @param place a number of one's own, below 65,536 */
export async function personAt(place: number, userId: string, options: { isAdmin?: boolean; lifetime?: number } = {}) {
  const { isAdmin = false, lifetime = LONG } = options;
  const token = await signToken({ secret: SECRET }, { userId, isAdmin, lifetime });
  return { authorization: `Bearer ${token}`, ...addressOf(place) } satisfies Headers;
}

/** What a proxy says of a client that has this address. */
export function addressOf(place: number): Headers {
  return { 'x-forwarded-for': `10.0.${(place >> 8) & 255}.${place & 255}` };
}
