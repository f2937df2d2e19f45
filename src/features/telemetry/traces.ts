/**
 * OpenTelemetry spans: an HTTP request, its operation, and the SQL statements. A collector receives them by OTLP/HTTP.
 * Nothing is registered globally, so that servers in one process stay separate.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span, SpanContext } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { loadOptional } from '../../system/optional-package.js';
import type { OperationEntry } from '../../operation-entry.js';

/** A completed SQL statement. The text has placeholders and no values. */
export interface StatementRun {
  readonly sql: string;
  /** Whether it was part of a change, or only read. */
  readonly kind: 'change' | 'read';
  readonly durationMs: number;
  readonly hasFailed: boolean;
}

interface TraceOptions {
  /** URL of the collector, such as http://127.0.0.1:4318; /v1/traces is appended. */
  endpoint: string;
  serviceName: string;
  /** The name in semantic conventions: sqlite, postgresql or microsoft.sql_server. */
  database: string;
  /** Receives a line when the collector fails, and when it works again. */
  log: (line: string) => void;
}

interface BegunOperation extends Pick<OperationEntry, 'type' | 'name'> {
  began: number;
  parent: SpanContext | undefined;
}

export type Traces = Awaited<ReturnType<typeof createTraces>>;
export type OperationSpan = ReturnType<Traces['operation']>;

/** Milliseconds to wait for the collector at the end. */
const LAST_EXPORT_MS = 1_500;

/** Long statements have long lists of placeholders. */
const MAX_SQL_LENGTH = 2_000;

/** Loads OpenTelemetry, which costs nothing when unused. */
export async function createTraces({ endpoint, serviceName, database, log }: TraceOptions) {
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
    spanProcessors: [new sdk.BatchSpanProcessor(withOutageLog(new OTLPTraceExporter({ url }), new URL(url).host, log))],
  });
  const tracer = provider.getTracer('parley');
  /** The operation that is currently running. */
  const current = new AsyncLocalStorage<{ span: Span; isOpen: boolean }>();
  const inside = (parent: SpanContext | undefined) =>
    parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);

  return {
    request({ method, route, parent }: { method: string; route: string; parent: SpanContext | undefined }) {
      const attributes = { 'http.request.method': method, 'http.route': route, 'url.path': route };
      const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, inside(parent));
      return {
        context: span.spanContext(),
        end(status: number) {
          span.setAttribute('http.response.status_code', status);
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },

    /** @param operation.began in milliseconds since 1970 */
    operation({ type, name, began, parent }: BegunOperation) {
      const attributes = {
        ...(type !== null && { 'graphql.operation.type': type }),
        ...(name !== null && { 'graphql.operation.name': name.slice(0, 100) }),
      };
      // The client chooses the operation's name, so it is no span name: those must be few.
      const span = tracer.startSpan(type ?? 'graphql', { startTime: began, attributes }, inside(parent));
      const operation = { span, isOpen: true };
      return {
        /** Statements sent during the part belong to the operation, until it ends. */
        run: <T>(part: () => T): T => current.run(operation, part),
        end({ code, requestId, transport }: OperationEntry) {
          operation.isOpen = false;
          span.setAttributes({ 'parley.request.id': requestId, 'parley.transport': transport, 'parley.code': code });
          if (code !== 'OK') span.setStatus({ code: SpanStatusCode.ERROR, message: code });
          span.end();
        },
      };
    },

    /** Called with each completed statement. */
    statement({ sql, durationMs, kind, hasFailed }: StatementRun) {
      const operation = current.getStore();
      // Work after the end of an operation, such as reading for subscribers, belongs to none.
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

    /** Sends the remaining spans. Settles within seconds; never rejects. */
    async stop() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, LAST_EXPORT_MS)));
      // An unavailable collector must not delay the end.
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      clearTimeout(timer);
    },
  };
}

/** Wraps the exporter and logs its failures: once, and when they end. */
function withOutageLog(exporter: SpanExporter, host: string, log: (line: string) => void): SpanExporter {
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

/** The collector's response may contain anything: only its status and network errors are logged. */
function inWords(error: Error & { code?: string | number }): string {
  return String(error.code ?? error.name);
}
