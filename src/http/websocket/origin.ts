import type { IncomingMessage } from 'node:http';

/**
 * Whether a page may open a socket. Browsers let every page try, and tell which one it is: it must be a page of this
 * server's own, whatever its scheme (TLS may end before the server), or of an origin that is allowed. Programs that are
 * no browsers tell none.
 *
 * @param allowed such as https://chat.example
 */
export function isOriginAllowed({ headers }: IncomingMessage, allowed: ReadonlySet<string>): boolean {
  const { origin, host } = headers;
  if (origin === undefined || allowed.has(origin)) return true;
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
