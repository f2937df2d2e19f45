/** A minimal OpenTelemetry collector for OTLP/HTTP with JSON. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface CollectedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  /** The span kinds of OTLP: 2 is a server, 3 a client. */
  kind: number;
  attributes: Record<string, unknown>;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code?: number; message?: string };
}

export interface TraceCollector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  /** All spans, in the order of their end. */
  spans: CollectedSpan[];
  /** The bodies of the requests. */
  bodies: string[];
  /** The attributes of the resource. */
  resource: Record<string, unknown>;
  /** The status of its responses. @default 200 */
  status: number;
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number };
}

interface Body {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: (Omit<CollectedSpan, 'attributes'> & { attributes: Attribute[] })[] }[];
  }[];
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const collector: TraceCollector = { url: '', spans: [], bodies: [], resource: {}, status: 200 };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      collector.bodies.push(`${request.method} ${request.url} ${body}`);
      for (const { resource, scopeSpans } of (JSON.parse(body) as Body).resourceSpans) {
        collector.resource = valuesOf(resource.attributes);
        for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
          collector.spans.push({ ...span, attributes: valuesOf(span.attributes) });
        }
      }
      response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => server.close().closeAllConnections());
  await once(server, 'listening');
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return collector;
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
}
