/**
 * A sign-in that a browser has begun at the issuer, in a cookie that is encrypted with the `state` of its address: any server
 * of the database can finish it, and only a callback with the same `state` can read it.
 */
import { z } from 'zod';
import { seal, unseal } from './sealed-token.js';

/** Time for the user to sign in. */
export const SIGN_IN_SECONDS = 600;

/** A cookie has at most 4,096 bytes. */
const MAX_PAGE_BYTES = 2_000;

const begun = z.object({
  /** The origin of the page. */
  origin: z.string(),
  /** The page to return to. */
  page: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** The secret of the session that the browser had: the callback comes from another site, without its cookie. */
  earlier: z.string().nullable(),
  expiresAt: z.number(),
});

type BegunSignIn = Omit<z.infer<typeof begun>, 'expiresAt'>;

/** @returns the value of the cookie */
export function sealSignIn(signIn: BegunSignIn, state: string): string {
  const [path = ''] = signIn.page.split(/[?#]/, 1);
  const page = [signIn.page, path].find((each) => Buffer.byteLength(JSON.stringify(each)) <= MAX_PAGE_BYTES) ?? '/';
  const expiresAt = Date.now() + SIGN_IN_SECONDS * 1_000;
  return seal(JSON.stringify({ ...signIn, page, expiresAt }), state);
}

/** @returns null for a cookie with another `state`, and for one that has expired */
export function unsealSignIn(cookie: string, state: string): BegunSignIn | null {
  try {
    const signIn = begun.parse(JSON.parse(unseal(cookie, state)));
    return signIn.expiresAt > Date.now() ? { ...signIn, page: ownPage(signIn.page) } : null;
  } catch {
    return null;
  }
}

/** The path of a page of this server; the start page instead of any other address. */
function ownPage(page: string): string {
  const base = 'http://localhost';
  if (!URL.canParse(page, base)) return '/';
  const { origin, pathname, search, hash } = new URL(page, base);
  // A path that begins with two slashes is the address of another host.
  return origin === base && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : '/';
}
