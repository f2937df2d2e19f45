/** `POST` and `DELETE /session`, for pages of this server: see docs/access/sessions.md. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
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
import type { PageSessions } from './page-sessions.js';

const MAX_BODY_BYTES = 16 * 1024;

export function sessionRoute(sessions: PageSessions, services: RouteServices): OpenRoute {
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
  sessions: PageSessions,
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
    const session = await admit({ authorization: `Bearer ${token}`, userId: null }, request);
    const { secret, seconds } = await sessions.open(token, session);
    const earlier = sessionSecretOf(header);
    if (earlier !== null) await sessions.end(earlier, false);
    const cookie = sessionCookie(header, secret, seconds);
    response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': cookie });
    response.end(JSON.stringify({ userId: session.viewer.userId }));
  } else {
    const { everywhere = 'false' } = parametersOf(new URL(request.url ?? '', 'http://localhost'), ['everywhere']);
    if (everywhere !== 'true' && everywhere !== 'false') throw badRequest('everywhere must be true or false');
    const secret = sessionSecretOf(header);
    if (secret !== null && (await isAdmitted(admit, secret, request)))
      await sessions.end(secret, everywhere === 'true');
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

/** Counts the request as an operation. @returns false for a session that has ended @throws GraphQLError */
async function isAdmitted(admit: Admit, sessionSecret: string, request: IncomingMessage): Promise<boolean> {
  try {
    await admit({ authorization: null, userId: null, sessionSecret }, request);
    return true;
  } catch (error) {
    if (error instanceof GraphQLError && error.extensions['code'] === 'UNAUTHENTICATED') return false;
    throw error;
  }
}

/** @throws GraphQLError */
function tokenOf(body: unknown): string {
  const token = typeof body === 'object' && body !== null && 'token' in body ? body.token : undefined;
  if (typeof token !== 'string') throw badRequest('The body must be a JSON object with the text token');
  return token;
}
