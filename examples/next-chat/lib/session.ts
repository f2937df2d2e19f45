/** Sign-in: a signed cookie for this application, and short-lived tokens for Parley. */
import { ContextError } from '@parley/context';
import { jwtVerify, SignJWT } from 'jose';

const SESSION_SECONDS = 12 * 60 * 60;
const TOKEN_SECONDS = 5 * 60;

/** Where pages and this application reach Parley. */
export const parleyUrl = new URL('/graphql', process.env.PARLEY_URL ?? 'http://127.0.0.1:4000').href;

function keyOf(name: 'SESSION_SECRET' | 'AUTH_JWT_SECRET'): Uint8Array {
  const secret = process.env[name];
  if (secret === undefined) throw new Error(`${name} is not set: give it 32 random bytes or more`);
  return new TextEncoder().encode(secret);
}

async function sign(userId: string, seconds: number, key: Uint8Array): Promise<string> {
  const token = new SignJWT().setProtectedHeader({ alg: 'HS256' }).setSubject(userId);
  return token.setIssuedAt().setExpirationTime(`${seconds} seconds`).sign(key);
}

/** A token that Parley accepts, as AUTH_JWT_SECRET is the same there. */
export const parleyToken = (userId: string) => sign(userId, TOKEN_SECONDS, keyOf('AUTH_JWT_SECRET'));

/** @param userId null signs out */
export async function sessionCookie(userId: string | null): Promise<string> {
  const value = userId === null ? '' : await sign(userId, SESSION_SECONDS, keyOf('SESSION_SECRET'));
  return `session=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${userId === null ? 0 : SESSION_SECONDS}`;
}

/** @throws ContextError UNAUTHENTICATED without a valid session */
export async function userOf(request: Request): Promise<string> {
  const [, cookie = ''] = /(?:^|; )session=([^;]+)/.exec(request.headers.get('cookie') ?? '') ?? [];
  const session = await jwtVerify(cookie, keyOf('SESSION_SECRET'), { algorithms: ['HS256'] }).catch(() => null);
  if (session?.payload.sub === undefined) throw new ContextError('UNAUTHENTICATED', 'Sign in first');
  return session.payload.sub;
}
