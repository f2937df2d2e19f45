import type { CORSOptions } from 'graphql-yoga';
import type { Origins } from './origins.js';

/** How long a browser may remember the answer, in seconds. */
const MAX_AGE = 600;

/**
 * Lets pages of other origins ask, if they are allowed to. Without credentials: a token is sent by the page itself, and
 * nothing here goes by cookies. To all others nothing is said, which is what browsers take for no.
 */
export function corsFor(origins: Origins): (request: Request) => CORSOptions {
  return ({ headers }) => {
    const origin = headers.get('origin');
    if (origin === null) return false;
    const host = headers.get('host') ?? undefined;
    const isSameOrigin = headers.get('sec-fetch-site') === 'same-origin';
    if (!origins.isAllowed(origin, { host, isSameOrigin })) return false;
    return {
      origin: [origin],
      methods: ['GET', 'POST', 'OPTIONS'],
      allowedHeaders: ['authorization', 'content-type', 'traceparent', 'x-request-id', 'x-user-id'],
      exposedHeaders: ['retry-after', 'x-request-id'],
      credentials: false,
      maxAge: MAX_AGE,
    };
  };
}
