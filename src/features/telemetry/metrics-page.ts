/** GET /metrics. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { GraphQLError } from 'graphql';
import { Registry, collectDefaultMetrics, Gauge } from 'prom-client';
import type { RouteServices } from '../../feature.js';
import { credentialsOf, readHeader } from '../../http/server/credentials.js';
import { refusal } from '../../http/server/loopback.js';
import { setSecurityHeaders } from '../../http/server/security-headers.js';
import type { OpenRoute } from '../../route.js';
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/** The answer to a request that must not read the metrics. */
interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const NO_SUCH_PAGE: Refusal = { status: 404 };

/** The page on the main port: for admins, and in development mode for all. */
export function metricsRoute(registry: Registry, { areUsersKnown, admit }: MetricsServices): OpenRoute {
  return {
    open: async (request, response) =>
      answer(registry, request, response, areUsersKnown ? await refusalToOthers(request, admit) : null),
  };
}

type MetricsServices = Pick<RouteServices, 'areUsersKnown' | 'admit'>;

/**
 * Refuses all but admins as if the page did not exist. Each request counts as an operation. Rate limits and an
 * unavailable authentication are reported to requests with a token, because a metrics server would read 404 as a wrong
 * address.
 */
async function refusalToOthers(request: IncomingMessage, admit: MetricsServices['admit']): Promise<Refusal | null> {
  const credentials = credentialsOf(readHeader(request.headers), true);
  try {
    const { viewer } = await admit(credentials, request);
    return viewer.isAdmin ? null : NO_SUCH_PAGE;
  } catch (error) {
    const { code, http } = (error as Partial<GraphQLError>).extensions ?? {};
    if (code === undefined) throw error;
    return code !== 'UNAUTHENTICATED' && credentials.authorization !== null ? (http as Refusal) : NO_SUCH_PAGE;
  }
}

/** The page on a port of its own, to every client that can reach the port. */
export function createMetricsServer(registry: Registry, isDevelopment: boolean): Server {
  return createServer((request, response) => {
    setSecurityHeaders(response);
    const isPage = request.url?.split('?')[0] === '/metrics' && refusal(request, isDevelopment) === null;
    // An unhandled rejection would end the process.
    answer(registry, request, response, isPage ? null : NO_SUCH_PAGE).catch(() => response.destroy());
  });
}

async function answer(
  registry: Registry,
  { method }: IncomingMessage,
  response: ServerResponse,
  refused: Refusal | null,
): Promise<true> {
  if (refused !== null) response.writeHead(refused.status, { ...refused.headers }).end();
  else if (method !== 'GET' && method !== 'HEAD') response.writeHead(405, { allow: 'GET, HEAD' }).end();
  else {
    const text = `${await registry.metrics()}\n${await processMetrics()}`;
    response.writeHead(200, { 'content-type': registry.contentType }).end(text);
  }
  return true;
}

let registry: Registry | undefined;

/**
 * Memory, processor time and event loop delays. They exist once per process, for any number of servers, and are
 * measured from the first call on.
 */
function processMetrics(): Promise<string> {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
    const registers = [registry];
    const heap = 'Bytes that the heap of JavaScript may have.';
    new Gauge({ name: 'parley_heap_limit_bytes', help: heap, registers }).set(getHeapStatistics().heap_size_limit);
    const memory = 'Memory limit of the container in bytes, otherwise the memory of the machine.';
    new Gauge({ name: 'parley_memory_limit_bytes', help: memory, registers }).set(memoryLimit());
  }
  return registry.metrics();
}

/** Without a limit of the container Node returns 0, or a number above all memory. */
function memoryLimit(): number {
  return Math.min(process.constrainedMemory() || Infinity, totalmem());
}
