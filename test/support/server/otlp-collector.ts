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

export interface CollectedRecord {
  eventName: string;
  body: { stringValue: string };
  severityText: string;
  traceId?: string;
  timeUnixNano: string;
  attributes: Record<string, unknown>;
}

export interface OtlpCollector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  /** All spans, in the order of their end. */
  spans: CollectedSpan[];
  /** All accepted log records. */
  records: CollectedRecord[];
  /** The bodies of the requests. */
  bodies: string[];
  /** The attributes of the resource. */
  resource: Record<string, unknown>;
  /** The status of its responses; null for none. @default 200 */
  status: number | null;
}

interface Value {
  stringValue?: string;
  intValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: Value[] };
}

interface WithAttributes {
  attributes: { key: string; value: Value }[];
}

type Encoded<Item> = Omit<Item, 'attributes'> & WithAttributes;

interface Body {
  resourceSpans?: { resource: WithAttributes; scopeSpans: { spans: Encoded<CollectedSpan>[] }[] }[];
  resourceLogs?: { resource: WithAttributes; scopeLogs: { logRecords: Encoded<CollectedRecord>[] }[] }[];
}

export async function startOtlpCollector(): Promise<OtlpCollector> {
  const collector: OtlpCollector = { url: '', spans: [], records: [], bodies: [], resource: {}, status: 200 };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      collector.bodies.push(`${request.method} ${request.url} ${body}`);
      const { resourceSpans = [], resourceLogs = [] } = JSON.parse(body) as Body;
      for (const { resource } of [...resourceSpans, ...resourceLogs]) collector.resource = decoded(resource).attributes;
      const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
      collector.spans.push(...spans.map(decoded));
      const records = resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap((scope) => scope.logRecords));
      if (collector.status === 200) collector.records.push(...records.map(decoded));
      if (collector.status === null) return;
      response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => server.close().closeAllConnections());
  await once(server, 'listening');
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return collector;
}

function decoded<Item extends WithAttributes>(item: Item) {
  const attributes = item.attributes.map(({ key, value }) => [key, valueOf(value)]);
  return { ...item, attributes: Object.fromEntries(attributes) as Record<string, unknown> };
}

function valueOf({ stringValue, intValue, boolValue, arrayValue }: Value): unknown {
  return arrayValue?.values.map(valueOf) ?? stringValue ?? intValue ?? boolValue;
}
