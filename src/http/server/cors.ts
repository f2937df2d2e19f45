import type { CORSOptions } from 'graphql-yoga';
import type { Origins } from './origins.js';

/** Seconds that a browser may cache the answer to a preflight. */
const MAX_AGE = 600;

/**
 * Allows requests of pages from allowed origins, without credentials: pages of other origins send the token
 * themselves, and cannot use sessions. Others get no CORS headers, so browsers refuse.
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
