/** Whether the process lives, and whether it can serve: for whoever restarts it or sends it requests. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Answers /health/live and /health/ready.
 * @param ping settles within seconds; it rejects when the database cannot be used
 * @returns whether the request was one of the two
 */
export async function answerHealth(
  { url = '', method }: IncomingMessage,
  response: ServerResponse,
  ping: () => Promise<void>,
): Promise<boolean> {
  const path = url.split('?')[0];
  const isReadiness = path === '/health/ready';
  if (!isReadiness && path !== '/health/live') return false;
  if (method !== 'GET' && method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return true;
  }
  const isDatabaseUp = isReadiness
    ? await ping().then(
        () => true,
        () => false,
      )
    : true;
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  const body = isReadiness
    ? { status: isDatabaseUp ? 'ready' : 'not ready', database: isDatabaseUp ? 'up' : 'down' }
    : { status: 'live' };
  response.writeHead(isDatabaseUp ? 200 : 503, headers).end(JSON.stringify(body));
  return true;
}
