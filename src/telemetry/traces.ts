/**
 * Spans of OpenTelemetry: an HTTP request, the operation in it, and its SQL statements. They go to a collector by
 * OTLP/HTTP. Nothing is registered globally, so that servers in one process do not see each other's.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span, SpanContext } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { loadOptional } from '../optional-package.js';
import type { OperationEntry, OperationType, Route } from './operation-entry.js';
import type { StatementRun } from './statement-run.js';

export interface TraceOptions {
  /** Of the collector, such as http://127.0.0.1:4318; /v1/traces is appended. */
  endpoint: string;
  serviceName: string;
  /** As semantic conventions name it: sqlite, postgresql or microsoft.sql_server. */
  database: string;
  /** Takes one line: that the collector takes no spans, or takes them again. */
  log: (line: string) => void;
}

export interface RequestSpan {
  readonly context: SpanContext;
  end(status: number): void;
}

export interface OperationSpan {
  /** Statements that are sent in the course of this are the operation's, as long as it has not ended. */
  run<T>(part: () => T): T;
  end(entry: OperationEntry): void;
}

export interface Traces {
  request(request: { method: string; route: Route; parent: SpanContext | undefined }): RequestSpan;
  operation(operation: {
    type: OperationType | null;
    name: string | null;
    /** In milliseconds since 1970. */
    began: number;
    parent: SpanContext | undefined;
  }): OperationSpan;
  /** A statement has been answered. */
  statement(run: StatementRun): void;
  /** Sends what has not been sent. Settles within seconds; never rejects. */
  stop(): Promise<void>;
}

/** How long to wait for the collector at the end, in milliseconds. */
const LAST_EXPORT_MS = 1_500;

/** Long statements have long lists of parameters, which say nothing. */
const MAX_SQL_LENGTH = 2_000;

/** Loads OpenTelemetry: nobody pays for it who does not use it. */
export async function createTraces({ endpoint, serviceName, database, log }: TraceOptions): Promise<Traces> {
  const [api, { resourceFromAttributes }, sdk, { OTLPTraceExporter }] = await loadOptional('OpenTelemetry', () =>
    Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace-base'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ]),
  );
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api;
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  const provider = new sdk.BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    spanProcessors: [new sdk.BatchSpanProcessor(toldOfOutages(new OTLPTraceExporter({ url }), new URL(url).host, log))],
  });
  const tracer = provider.getTracer('parley');
  /** The operation that is run, as long as it is. */
  const current = new AsyncLocalStorage<{ span: Span; isOpen: boolean }>();
  const inside = (parent: SpanContext | undefined) =>
    parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);

  return {
    request({ method, route, parent }) {
      const attributes = { 'http.request.method': method, 'http.route': route, 'url.path': route };
      const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, inside(parent));
      return {
        context: span.spanContext(),
        end(status) {
          span.setAttribute('http.response.status_code', status);
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },

    operation({ type, name, began, parent }) {
      const attributes = {
        ...(type !== null && { 'graphql.operation.type': type }),
        ...(name !== null && { 'graphql.operation.name': name.slice(0, 100) }),
      };
      // The name is the client's, so it is none of a span, of which there are to be few.
      const span = tracer.startSpan(type ?? 'graphql', { startTime: began, attributes }, inside(parent));
      const operation = { span, isOpen: true };
      return {
        run: (part) => current.run(operation, part),
        end({ code, requestId, transport }) {
          operation.isOpen = false;
          span.setAttributes({ 'parley.request.id': requestId, 'parley.transport': transport, 'parley.code': code });
          if (code !== 'OK') span.setStatus({ code: SpanStatusCode.ERROR, message: code });
          span.end();
        },
      };
    },

    statement({ sql, durationMs, kind, hasFailed }) {
      const operation = current.getStore();
      // What follows from an operation that is over, as reading for those who follow a chat, is nobody's.
      if (operation?.isOpen !== true) return;
      const now = Date.now();
      const [keyword = 'SQL'] = /[A-Za-z]+/.exec(sql) ?? [];
      const attributes = {
        'db.system.name': database,
        'db.query.text': sql.slice(0, MAX_SQL_LENGTH),
        'parley.statement.kind': kind,
      };
      const span = tracer.startSpan(
        keyword.toUpperCase(),
        { kind: SpanKind.CLIENT, startTime: now - durationMs, attributes },
        trace.setSpan(ROOT_CONTEXT, operation.span),
      );
      if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(now);
    },

    async stop() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, LAST_EXPORT_MS)));
      // A collector that is away is no reason to stay.
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      clearTimeout(timer);
    },
  };
}

/** The same exporter, whose failures are told: once, and when they are over. */
function toldOfOutages(exporter: SpanExporter, host: string, log: (line: string) => void): SpanExporter {
  let isOut = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const { error } = result;
        if (error === undefined && isOut) log(`The collector on ${host} takes traces again`);
        if (error !== undefined && !isOut) log(`The collector on ${host} takes no traces: ${inWords(error)}`);
        isOut = error !== undefined;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

/** What the collector has said to it may be anything: its status, and what the network says, are enough. */
function inWords(error: Error & { code?: string | number }): string {
  return String(error.code ?? error.name);
}
