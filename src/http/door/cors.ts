import type { CORSOptions } from 'graphql-yoga';

/** How long a browser may remember the answer, in seconds. */
const MAX_AGE = 600;

/**
 * Lets pages of other origins ask, if they are allowed to. Without credentials: a token is sent by the page itself, and
 * nothing here goes by cookies. To all others nothing is said, which is what browsers take for no.
 *
 * @param allowed such as https://chat.example
 */
export function corsFor(allowed: ReadonlySet<string>): (request: Request) => CORSOptions {
  return (request) => {
    const origin = request.headers.get('origin');
    if (origin === null || !allowed.has(origin)) return false;
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
