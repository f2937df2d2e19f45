/** The requests of pages of this server to the routes of sessions. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import type { Session } from '../../auth/session.js';
import type { Admit, RouteServices } from '../../feature.js';
import { isOwnPage, type ReadHeader } from '../../http/server/credentials.js';
import { isLoopbackHost } from '../../http/server/loopback.js';
import { badRequest, refuse, refused, refusalOf } from '../../http/requests/transfer-request.js';
import type { OpenRoute } from '../../route.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A route that returns errors as GraphQL does. */
export const sessionRouteOf = ({ onError }: Pick<RouteServices, 'onError'>, answer: Answer): OpenRoute => ({
  open: async (request, response) => {
    try {
      await answer(request, response);
    } catch (error) {
      if (response.headersSent || response.destroyed) response.destroy();
      else refuse(response, refusalOf(error, onError));
    }
    return true;
  },
});

/** @throws GraphQLError */
export function requireOwnPage(header: ReadHeader): void {
  if (!isOwnPage(header)) throw refused('Only pages of this server may open and end sessions', 'FORBIDDEN', 403);
}

/** The name of the cookie depends on the host. @throws GraphQLError */
export function requireHost(header: ReadHeader): void {
  const [host, origin] = [header('host') ?? '', header('origin')];
  if (origin !== null && isLoopbackHost(host) && !isLoopbackHost(URL.canParse(origin) ? new URL(origin).host : '')) {
    throw badRequest('The proxy must forward the Host header of the browser: see docs/operations.md');
  }
}

/**
 * Counts a request as an operation.
 * @param sessionSecret null for a request without credentials
 * @returns null without a session, and for one that has ended
 * @throws GraphQLError
 */
export async function admitted(
  admit: Admit,
  sessionSecret: string | null,
  request: IncomingMessage,
): Promise<Session | null> {
  try {
    return await admit({ authorization: null, userId: null, sessionSecret }, request);
  } catch (error) {
    if (error instanceof GraphQLError && error.extensions['code'] === 'UNAUTHENTICATED') return null;
    throw error;
  }
}

/** A text in a JSON body. @throws GraphQLError */
export function textOf(body: unknown, name: string): string {
  const text = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;
  if (typeof text !== 'string') throw badRequest(`The body must be a JSON object with the text ${name}`);
  return text;
}
