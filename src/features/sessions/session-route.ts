/** `POST` and `DELETE /session`, for pages of this server: see docs/access/sessions.md. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import type { Session } from '../../auth/session.js';
import type { Admit, RouteServices } from '../../feature.js';
import { isLoopbackHost } from '../../http/server/loopback.js';
import {
  type ReadHeader,
  readHeader,
  isOwnPage,
  sessionCookie,
  sessionSecretOf,
} from '../../http/server/credentials.js';
import { receiveJson } from '../../http/requests/receive-json.js';
import { badRequest, parametersOf, refuse, refused, refusalOf } from '../../http/requests/transfer-request.js';
import type { OpenRoute } from '../../route.js';
import type { RecordedSessions } from './recorded-sessions.js';

const MAX_BODY_BYTES = 16 * 1024;

export function sessionRoute(sessions: RecordedSessions, services: RouteServices): OpenRoute {
  return {
    open: async (request, response) => {
      try {
        await answer(sessions, services, request, response);
      } catch (error) {
        if (response.headersSent || response.destroyed) response.destroy();
        else refuse(response, refusalOf(error, services.onError));
      }
      return true;
    },
  };
}

async function answer(
  sessions: RecordedSessions,
  { admit }: Pick<RouteServices, 'admit'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method } = request;
  if (method !== 'POST' && method !== 'DELETE') {
    return void response.writeHead(405, { allow: 'POST, DELETE' }).end();
  }
  const header = readHeader(request.headers);
  if (!isOwnPage(header)) throw refused('Only pages of this server may open and end sessions', 'FORBIDDEN', 403);
  if (method === 'POST') {
    checkHost(header);
    const token = tokenOf(await receiveJson(request, response, MAX_BODY_BYTES));
    const { userId, secret, seconds } = await sessions.open(token, sessionSecretOf(header), request);
    const cookie = sessionCookie(header, secret, seconds);
    response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': cookie });
    response.end(JSON.stringify({ userId }));
  } else {
    const { everywhere = 'false' } = parametersOf(new URL(request.url ?? '', 'http://localhost'), ['everywhere']);
    if (everywhere !== 'true' && everywhere !== 'false') throw badRequest('everywhere must be true or false');
    const secret = sessionSecretOf(header);
    const session = secret === null ? null : await admitted(admit, secret, request);
    if (secret !== null && session !== null) await sessions.end(secret, everywhere === 'true', session, request);
    response.writeHead(204, { 'set-cookie': sessionCookie(header, '', 0) }).end();
  }
}

/** The name of the cookie depends on the host. @throws GraphQLError */
function checkHost(header: ReadHeader): void {
  const [host, origin] = [header('host') ?? '', header('origin')];
  if (origin !== null && isLoopbackHost(host) && !isLoopbackHost(URL.canParse(origin) ? new URL(origin).host : '')) {
    throw badRequest('The proxy must forward the Host header of the browser: see docs/operations.md');
  }
}

/**
 * Counts the request as an operation.
 * @param sessionSecret null for a request without credentials
 * @returns null without a session, and for one that has ended
 * @throws GraphQLError
 */
async function admitted(admit: Admit, sessionSecret: string, request: IncomingMessage): Promise<Session | null> {
  try {
    return await admit({ authorization: null, userId: null, sessionSecret }, request);
  } catch (error) {
    if (error instanceof GraphQLError && error.extensions['code'] === 'UNAUTHENTICATED') return null;
    throw error;
  }
}

/** @throws GraphQLError */
function tokenOf(body: unknown): string {
  const token = typeof body === 'object' && body !== null && 'token' in body ? body.token : undefined;
  if (typeof token !== 'string') throw badRequest('The body must be a JSON object with the text token');
  return token;
}
