import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

export interface MetricsSource {
  readonly contentType: string;
  text(): Promise<string>;
}

/**
 * Answers /metrics.
 * @param mayRead whether whoever asks is told; to others there is no such page
 * @returns what takes a request, and answers whether it was one for it
 */
export function createMetricsPage(
  source: MetricsSource,
  mayRead: (request: IncomingMessage) => Promise<boolean>,
): (request: IncomingMessage, response: ServerResponse) => Promise<boolean> {
  return async (request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') return false;
    if (!(await mayRead(request))) response.writeHead(404).end();
    else if (request.method !== 'GET' && request.method !== 'HEAD')
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
    else {
      const text = await source.text();
      response.writeHead(200, { 'content-type': source.contentType, 'cache-control': 'no-store' }).end(text);
    }
    return true;
  };
}

/** The page on a port of its own: for whoever can reach that. */
export function createMetricsServer(source: MetricsSource, isRefused: (request: IncomingMessage) => boolean): Server {
  const page = createMetricsPage(source, (request) => Promise.resolve(!isRefused(request)));
  return createServer((request, response) => {
    void page(request, response).then((isAnswered) => {
      if (!isAnswered) response.writeHead(404).end();
    });
  });
}
