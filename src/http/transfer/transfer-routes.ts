/** The routes of features: they authenticate and count requests as /graphql does. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import type { AuditRecord } from '../../audit.js';
import type { RouteServices } from '../../feature.js';
import { requireScope } from '../server/token-scopes.js';
import type { Admission } from '../server/admission.js';
import { corsFor } from '../server/cors.js';
import { credentialsOf, readHeader } from '../server/credentials.js';
import type { Origins } from '../server/origins.js';
import type { OpenRoute, RouteCall, Route } from '../../route.js';
import { refusalOf, refuse } from '../requests/transfer-request.js';

export interface TransferOptions {
  /** Routes of features by path. A `*` at the end stands for any text. */
  routes: ReadonlyMap<string, Route | OpenRoute>;
  admission: Admission;
  beginAudit: RouteServices['beginAudit'];
  origins: Origins;
  addressOf: (request: IncomingMessage) => string;
  onError: (error: unknown) => void;
}

/** Request targets are paths. */
const BASE = 'http://localhost';

export function createTransferRoutes(options: TransferOptions) {
  const cors = corsFor(options.origins);
  const { routes } = options;
  const uploads = new Set([...routes].flatMap(([path, route]) => ('isUpload' in route ? path : [])));
  const prefixes = [...routes].filter(([path]) => path.endsWith('*'));
  const routeAt = (path: string) =>
    routes.get(path) ?? prefixes.find(([prefix]) => path.startsWith(prefix.slice(0, -1)))?.[1];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', BASE);
    const route = routeAt(url.pathname);
    if (route === undefined) return false;
    if ('open' in route) return route.open(request, response);
    const { methods } = route;
    const { origin, host, 'sec-fetch-site': site } = request.headers;
    const asking = new Headers(Object.entries({ origin, host, 'sec-fetch-site': site }).filter(isGiven));
    const allowed = cors({ headers: asking } as Request);
    if (allowed !== false && origin !== undefined) {
      response.setHeader('access-control-allow-origin', origin);
      response.setHeader('vary', 'Origin');
      response.setHeader('access-control-expose-headers', 'retry-after, x-request-id, parley-not-held');
    }
    if (request.method === 'OPTIONS') {
      const names = 'authorization, content-type, mcp-protocol-version, range, x-request-id, x-user-id';
      const granted = { 'access-control-allow-methods': methods.join(', '), 'access-control-allow-headers': names };
      response.writeHead(204, allowed === false ? {} : granted).end();
      return true;
    }
    if (!methods.includes(request.method ?? '')) {
      response.writeHead(405, { allow: methods.join(', ') }).end();
      return true;
    }
    try {
      await transfer(options, route, { request, response, url });
    } catch (error) {
      if (response.headersSent || response.destroyed) {
        // Without breaking off, the partial response would look complete.
        response.destroy();
        // The refusal came after the response began.
        if (response.headersSent && !(error instanceof GraphQLError)) options.onError(error);
      } else refuse(response, refusalOf(error, options.onError));
    }
    return true;
  };
  return {
    /** Returns whether it answered. */
    answer,
    /** Whether a request uploads a file, which can take longer than other requests. */
    isUpload: ({ method, url = '' }: IncomingMessage) => method === 'POST' && uploads.has(url.split('?', 1)[0] ?? ''),
    close: async () =>
      void (await Promise.all(Array.from(routes.values(), async (route) => 'close' in route && route.close()))),
  };
}

async function transfer(
  { admission, addressOf, beginAudit }: TransferOptions,
  route: Route,
  { request, response, url }: Omit<RouteCall, 'session' | 'audit'>,
): Promise<void> {
  const address = addressOf(request);
  const signed = route.signedSession?.(url) ?? null;
  if (signed !== null) await admission.count(signed, address);
  const credentials = credentialsOf(readHeader(request.headers), route.isForPages ?? false);
  const session = signed ?? (await admission.admit(credentials, address));
  const audit = beginAudit(session, request);
  let end: (() => void) | undefined;
  try {
    const { scope, slots } = route.ofMethod?.[request.method ?? ''] ?? route;
    requireScope(session.viewer, scope);
    end = slots.begin(session.viewer.userId);
    await route.answer({ request, response, url, session, audit });
  } catch (error) {
    recordRefusal(audit, route, error);
    throw error;
  } finally {
    end?.();
    audit?.end();
  }
}

function recordRefusal(audit: AuditRecord | null, { event }: Route, error: unknown): void {
  if (event === undefined) return;
  const code = error instanceof GraphQLError ? error.extensions['code'] : null;
  if (code === 'NOT_FOUND') audit?.missed(event);
  else audit?.refused({ event, result: code === null ? 'failed' : 'refused', chatIds: [] });
}

function isGiven(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string';
}
