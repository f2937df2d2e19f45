/** `POST` and `DELETE /session`, for pages of this server: see docs/access/sessions.md. */
import type { RouteServices } from '../../feature.js';
import { readHeader, sessionCookie, sessionSecretOf } from '../../http/server/credentials.js';
import { receiveJson } from '../../http/requests/receive-json.js';
import { badRequest, parametersOf } from '../../http/requests/transfer-request.js';
import type { OpenRoute } from '../../route.js';
import { admitted, requireHost, requireOwnPage, sessionRouteOf, textOf } from './page-requests.js';
import type { RecordedSessions } from './recorded-sessions.js';

const MAX_BODY_BYTES = 16 * 1024;

export const sessionRoute = (sessions: RecordedSessions, services: RouteServices): OpenRoute =>
  sessionRouteOf(services, async (request, response) => {
    const { method } = request;
    if (method !== 'POST' && method !== 'DELETE') {
      return void response.writeHead(405, { allow: 'POST, DELETE' }).end();
    }
    const header = readHeader(request.headers);
    requireOwnPage(header);
    if (method === 'POST') {
      requireHost(header);
      const token = textOf(await receiveJson(request, response, MAX_BODY_BYTES), 'token');
      const { userId, secret, seconds } = await sessions.open(token, sessionSecretOf(header), request);
      const cookie = sessionCookie(header, secret, seconds);
      response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': cookie });
      response.end(JSON.stringify({ userId }));
    } else {
      const { everywhere = 'false' } = parametersOf(new URL(request.url ?? '', 'http://localhost'), ['everywhere']);
      if (everywhere !== 'true' && everywhere !== 'false') throw badRequest('everywhere must be true or false');
      const secret = sessionSecretOf(header);
      const session = secret === null ? null : await admitted(services.admit, secret, request);
      if (secret !== null && session !== null) await sessions.end(secret, everywhere === 'true', session, request);
      response.writeHead(204, { 'set-cookie': sessionCookie(header, '', 0) }).end();
    }
  });
