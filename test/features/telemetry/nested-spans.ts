import { expect } from 'vitest';
import { startListening } from '../../support/server/listening-server.js';
import { startOtlpCollector } from '../../support/server/otlp-collector.js';

/** Expects the spans of a request, with the statements of a driver as its children. */
export async function expectNestedSpans(database: string): Promise<void> {
  const collector = await startOtlpCollector();
  const { url, spans, bodies } = collector;
  const server = await startListening({ migrateOnStart: true, traceEndpoint: url, serviceName: 'of-a-test' });
  await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': 'a-request' },
    body: JSON.stringify({ query: 'mutation Make { createChat(input: { id: "c" }) { __typename } }' }),
  });
  await server.stop();
  expect(bodies[0]).toMatch(/^POST \/v1\/traces /);
  expect(collector.resource).toMatchObject({ 'service.name': 'of-a-test' });
  const request = spans.find(({ name }) => name === 'POST /graphql')!;
  expect(request).toMatchObject({
    kind: 2,
    attributes: { 'http.request.method': 'POST', 'http.route': '/graphql', 'http.response.status_code': 200 },
  });
  expect(request).not.toHaveProperty('parentSpanId');
  const operation = spans.find(({ name }) => name === 'mutation')!;
  expect(operation).toMatchObject({
    traceId: request.traceId,
    parentSpanId: request.spanId,
    attributes: {
      'graphql.operation.type': 'mutation',
      'graphql.operation.name': 'Make',
      'parley.code': 'OK',
      'parley.request.id': 'a-request',
    },
  });
  const statements = spans.filter((span) => span !== request && span !== operation);
  expect(statements.length).toBeGreaterThan(1);
  for (const { traceId, parentSpanId, kind, attributes, startTimeUnixNano, endTimeUnixNano } of statements) {
    expect({ traceId, parentSpanId, kind }).toEqual({
      traceId: request.traceId,
      parentSpanId: operation.spanId,
      kind: 3,
    });
    expect(attributes['db.system.name']).toBe(database);
    expect(attributes['db.query.text']).toMatch(/chats|branches|chat_events/);
    expect(Number(startTimeUnixNano)).toBeLessThanOrEqual(Number(endTimeUnixNano));
  }
}
