/** Traces as received by a collector. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../support/server/free-port.js';
import { startListening } from '../../support/server/listening-server.js';
import { connectWebSocket } from '../../support/server/raw-websocket.js';
import { startOtlpCollector, type CollectedSpan } from '../../support/server/otlp-collector.js';
import { expectNestedSpans } from './nested-spans.js';

const SECRET = 'what-somebody-wrote';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

async function startTraced() {
  const collector = await startOtlpCollector();
  const server = await startListening({ traceEndpoint: collector.url, serviceName: 'of-a-test' });
  const post = (query: string, headers: Record<string, string> = {}, variables?: unknown) =>
    fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    });
  return { collector, server, post };
}

it('an HTTP request contains its operation, which contains its SQL statements', () => expectNestedSpans('sqlite'));

it('concurrent operations contain their own statements only', async () => {
  const { collector, server, post } = await startTraced();
  const names = Array.from({ length: 8 }, (_, n) => `Chats${n}`);
  await Promise.all(
    names.flatMap((name) => [
      post(`query ${name} { chats(first: 1) { edges { node { id } } } }`),
      post(`mutation ${name} { createChat(input: { id: "${name}" }) { __typename } }`),
    ]),
  );
  await server.stop();
  const operations = collector.spans.filter(({ name }) => name === 'query' || name === 'mutation');
  expect(operations).toHaveLength(16);
  const statementsOf = ({ spanId }: CollectedSpan) =>
    collector.spans
      .filter(({ parentSpanId }) => parentSpanId === spanId)
      .map(({ name, attributes }) => `${name} to ${String(attributes['parley.statement.kind'])}`);
  for (const type of ['query', 'mutation']) {
    const [first = [], ...others] = operations.filter(({ name }) => name === type).map(statementsOf);
    expect(first).toContain(type === 'query' ? 'SELECT to read' : 'INSERT to change');
    for (const statements of others) expect(statements).toEqual(first);
  }
});

it('a request that is part of a trace continues it', async () => {
  const { collector, server, post } = await startTraced();
  await post('{ viewer { userId } }', { traceparent: `00-${TRACE}-${PARENT}-01` });
  await server.stop();
  expect(collector.spans).toMatchObject([
    { name: 'query', traceId: TRACE },
    { name: 'POST /graphql', traceId: TRACE, parentSpanId: PARENT },
  ]);
});

it.each([
  `00-${'0'.repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `ff-${TRACE}-${PARENT}-01`,
  `00-${TRACE.toUpperCase()}-${PARENT}-01`,
  `00-${TRACE}`,
])('an invalid traceparent, %s, starts another trace', async (traceparent) => {
  const { collector, server, post } = await startTraced();
  await post('{ viewer { userId } }', { traceparent });
  await server.stop();
  expect(collector.spans.map(({ name }) => name)).toEqual(['query', 'POST /graphql']);
  expect(collector.spans.map(({ traceId }) => traceId)).not.toContain(TRACE);
});

it('operations over WebSocket are traced, as part of the trace that their extensions name', async () => {
  const { collector, server } = await startTraced();
  const socket = await connectWebSocket(server.webSocketUrl);
  await socket.ask('1', 'query Mine { chats(first: 1) { edges { node { id } } } }');
  const payload = {
    query: '{ viewer { userId } }',
    extensions: { traceparent: `00-${TRACE}-${PARENT}-01` },
  };
  socket.send({ type: 'subscribe', id: '2', payload });
  await socket.take('2');
  await server.stop();
  const [statement, mine, clientSpan] = collector.spans;
  expect(mine).toMatchObject({
    name: 'query',
    attributes: { 'graphql.operation.name': 'Mine', 'parley.transport': 'websocket', 'parley.code': 'OK' },
  });
  expect(mine).not.toHaveProperty('parentSpanId');
  expect(statement?.parentSpanId).toBe(mine?.spanId);
  expect(clientSpan).toMatchObject({ name: 'query', traceId: TRACE, parentSpanId: PARENT });
});

it('a subscription contains only the statements of its start', async () => {
  const { collector, server } = await startTraced();
  await server.ask('mutation { createChat(input: { id: "c" }) { __typename } }');
  const socket = await connectWebSocket(server.webSocketUrl);
  socket.subscribe('1', 'subscription { chatEvents(chatId: "c", after: 0) { seq chatId } }');
  await socket.take('1');
  await server.ask('mutation { updateChat(input: { chatId: "c", title: "x" }) { __typename } }');
  while (((await socket.take('1')).payload as { data: { chatEvents: { seq: number } } }).data.chatEvents.seq < 4);
  await server.stop();
  const subscription = collector.spans.find(({ name }) => name === 'subscription')!;
  const own = collector.spans.filter(({ parentSpanId }) => parentSpanId === subscription.spanId);
  expect(own.length).toBeGreaterThan(0);
  for (const { endTimeUnixNano } of own) {
    expect(Number(endTimeUnixNano)).toBeLessThanOrEqual(Number(subscription.endTimeUnixNano));
  }
});

it('a failed operation is marked with its code, without text of users', async () => {
  const { collector, server, post } = await startTraced();
  await post('mutation ($t: String) { createChat(input: { id: "c", title: $t }) { __typename } }', {}, { t: SECRET });
  await post(`mutation { createChat(input: { id: "${SECRET}1", title: "${SECRET}" }) { __typename } }`);
  await post(`{ search(query: "${SECRET}", first: 5) { edges { node { message { id } } } } }`);
  await post(`{ ${SECRET.replaceAll('-', '_')} }`);
  await fetch(`${server.url}?query={viewer{userId}}&secret=${SECRET}`, { headers: { accept: 'application/json' } });
  await fetch(new URL(`/${SECRET}`, server.url));
  await server.stop();
  expect(collector.spans.find(({ status }) => status.code === 2)).toMatchObject({
    name: 'query',
    status: { message: 'GRAPHQL_VALIDATION_FAILED' },
  });
  expect(collector.bodies.join('\n')).not.toContain(SECRET);
  expect(collector.bodies.join('\n')).not.toContain(SECRET.replaceAll('-', '_'));
});

it('an unavailable collector delays no answer and no stop', async () => {
  const { ask, stop } = await startListening({ traceEndpoint: `http://127.0.0.1:${await freePort()}` });
  expect(await ask('{ viewer { userId } }')).toEqual({ data: { viewer: { userId: 'local' } } });
  await stop();
});

it('a collector that refuses traces is logged once, and once when it recovers', async () => {
  const collector = await startOtlpCollector();
  collector.status = 404;
  const lines: string[] = [];
  const { ask, stop } = await startListening({ traceEndpoint: collector.url, log: (line) => lines.push(line) });
  const { host } = new URL(collector.url);
  // A partial batch is sent after five seconds, regardless of the duration of requests.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  // A batch has 512 spans, and a request has two.
  const ask300 = async () => {
    for (let n = 0; n < 300; n++) await ask('{ viewer { userId } }');
  };
  await ask300();
  await expect.poll(() => lines).toEqual([`The collector on ${host} takes no traces: 404`]);
  await ask300();
  await expect.poll(() => collector.bodies.length).toBe(2);
  vi.useRealTimers();
  collector.status = 200;
  await ask('{ viewer { userId } }');
  await stop();
  expect(lines.slice(1)).toEqual([`The collector on ${host} takes traces again`]);
});
