import { once } from 'node:events';
import { createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Metrics } from '../../../src/features/telemetry/metrics.js';
import { RequestObserver } from '../../../src/features/telemetry/request-observer.js';
import { routeOf } from '../../../src/server/paths.js';
import type { RequestEntry } from '../../../src/operation-entry.js';

it('a request whose client disconnects before the answer has the status 499', async () => {
  const metrics = new Metrics();
  const logged: RequestEntry[] = [];
  const observer = new RequestObserver({
    metrics,
    traces: null,
    routeOf,
    addressOf: () => null,
    logRequest: (entry) => logged.push(entry),
  });
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = ask({ host: '127.0.0.1', port, path: '/graphql' }).on('error', () => {});
  client.end();
  const [request, response] = (await once(server, 'request')) as Parameters<RequestObserver['request']>;
  observer.request(request, response);
  client.destroy();
  await once(response, 'close');
  expect(logged).toMatchObject([{ route: '/graphql', status: 499 }]);
  expect(await metrics.registry.metrics()).toContain('parley_http_requests_total{route="/graphql",status="499"} 1\n');
});
