/** The credentials of requests. Cookies are accepted from pages of this server only, so no other page can use a session. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Credentials } from '../../auth/session.js';
import { isLoopbackHost } from './loopback.js';
import { isOwnOrigin } from './origins.js';

/** Returns the value of a header, whose name is in lower case; null when it is missing. */
export type ReadHeader = (name: string) => string | null;

export const readHeader =
  (headers: IncomingHttpHeaders): ReadHeader =>
  (name) =>
    headers[name]?.toString() ?? null;

/** @param takesSession whether pages may use the endpoint with a session */
export function credentialsOf(header: ReadHeader, takesSession: boolean): Credentials {
  return {
    authorization: header('authorization'),
    userId: header('x-user-id'),
    // Most requests have no cookie.
    sessionSecret: takesSession && header('cookie') !== null && isOwnPage(header) ? sessionSecretOf(header) : null,
  };
}

/**
 * Whether a page of this server sent the request. Browsers set both headers; a WebSocket has the origin only. The network can
 * replace a page without TLS, except on loopback.
 */
export function isOwnPage(header: ReadHeader): boolean {
  if (header('sec-fetch-site') === 'same-origin') return true;
  const [origin, host] = [header('origin'), hostOf(header)];
  if (origin === null || !isOwnOrigin(origin, host)) return false;
  return origin.startsWith('https:') || isLoopbackHost(host);
}

const SESSION = 'parley';

/** The secret in the cookie of a session, whatever page sent it; null without one. */
export const sessionSecretOf = (header: ReadHeader): string | null => readCookie(header, SESSION);

/** The header that sets the cookie of a session. @param seconds its time; 0 deletes it */
export const sessionCookie = (header: ReadHeader, secret: string, seconds: number): string =>
  setCookie(header, { name: SESSION, value: secret, seconds, sameSite: 'Strict' });

/** The value of a cookie of this server, whatever page sent it; null without one. */
export function readCookie(header: ReadHeader, name: string): string | null {
  const cookies = header('cookie');
  if (cookies === null) return null;
  const prefix = `${cookieName(header, name)}=`;
  const cookie = cookies.split('; ').find((each) => each.startsWith(prefix));
  return cookie?.slice(prefix.length) ?? null;
}

export interface Cookie {
  name: string;
  value: string;
  /** Its time; 0 deletes it. */
  seconds: number;
  sameSite: 'Strict' | 'Lax';
}

/** The header that sets a cookie that no script can read. */
export function setCookie(header: ReadHeader, { name, value, seconds, sameSite }: Cookie): string {
  const secure = isLoopbackHost(hostOf(header)) ? '' : '; Secure';
  return `${cookieName(header, name)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}${secure}`;
}

/**
 * Other hosts of the domain cannot set a cookie with the prefix __Host-, which needs https. Ports
 * share cookies.
 */
function cookieName(header: ReadHeader, name: string): string {
  const host = hostOf(header);
  const { port } = new URL(`http://${host}`);
  return `${isLoopbackHost(host) ? '' : '__Host-'}${name}${port && `-${port}`}`;
}

const hostOf = (header: ReadHeader): string => header('host') ?? '';
