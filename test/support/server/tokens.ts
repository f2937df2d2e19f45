import { signToken } from '../../../src/features/signed-tokens/sign-token.js';

/** The secret of servers with authentication. */
export const SECRET = 'a secret of tests, of thirty-two bytes or more';
export const AUTH = { secret: SECRET };
/** Signs URLs of files, on all servers. */
export const FILES_SECRET = 'a secret of files, of thirty-two characters';

/** The header with a token of a user. */
export async function bearer(userId: string, isAdmin = false, lifetime = 3600): Promise<{ authorization: string }> {
  return { authorization: `Bearer ${await signToken(AUTH, { userId, isAdmin, lifetime })}` };
}
