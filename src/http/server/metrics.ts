import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { GraphQLError } from 'graphql';
import type { Admission } from './admission.js';
import { setSecurityHeaders } from './security-headers.js';

export interface MetricsSource {
  readonly contentType: string;
  text(): Promise<string>;
}

/** The answer to a request that must not read the metrics. */
export interface MetricsRefusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export const NO_SUCH_PAGE: MetricsRefusal = { status: 404 };

/**
 * Refuses all but admins as if the page did not exist. Each request counts as an operation. Rate limits and an
 * unavailable authentication are reported to requests with a token, because a metrics server would read 404 as a wrong
 * address.
 */
export function refusalToOthers(
  admission: Admission,
  addressOf: (request: IncomingMessage) => string,
): (request: IncomingMessage) => Promise<MetricsRefusal | null> {
  return async (request) => {
    const { authorization = null } = request.headers;
    try {
      const { viewer } = await admission.admit({ authorization, userId: null }, addressOf(request));
      return viewer.isAdmin ? null : NO_SUCH_PAGE;
    } catch (error) {
      const { code, http } = (error as Partial<GraphQLError>).extensions ?? {};
      if (code === undefined) throw error;
      return code !== 'UNAUTHENTICATED' && authorization !== null ? (http as MetricsRefusal) : NO_SUCH_PAGE;
    }
  };
}

/**
 * Answers /metrics.
 * @param refusalTo returns the reason of a refusal, or null
 * @returns a handler that returns whether it answered
 */
export function createMetricsPage(
  source: MetricsSource,
  refusalTo: (request: IncomingMessage) => Promise<MetricsRefusal | null>,
): (request: IncomingMessage, response: ServerResponse) => Promise<boolean> {
  return async (request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') return false;
    const refused = await refusalTo(request);
    if (refused !== null) response.writeHead(refused.status, { ...refused.headers }).end();
    else if (request.method !== 'GET' && request.method !== 'HEAD')
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
    else {
      const text = await source.text();
      response.writeHead(200, { 'content-type': source.contentType }).end(text);
    }
    return true;
  };
}

/** Serves the page on a separate port, to every client that can reach the port. */
export function createMetricsServer(source: MetricsSource, isRefused: (request: IncomingMessage) => boolean): Server {
  const page = createMetricsPage(source, async (request) => (isRefused(request) ? NO_SUCH_PAGE : null));
  return createServer((request, response) => {
    setSecurityHeaders(response);
    const answered = page(request, response).then((isAnswered) => {
      if (!isAnswered) response.writeHead(404).end();
    });
    // An unhandled rejection would end the process.
    answered.catch(() => response.destroy());
  });
}
