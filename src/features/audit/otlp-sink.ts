/** Sends the lines of the audit log to an OpenTelemetry collector, as log records by OTLP/HTTP with JSON. */
import { ROOT_CONTEXT, type SpanContext } from '@opentelemetry/api';
import type { ReadWriteLogRecord } from '@opentelemetry/sdk-logs';
import { loadOptional } from '../../system/optional-package.js';
import type { AuditLine } from './operation-record.js';
import { SinkUnavailableError, type Sink } from './audit-sinks.js';

export interface OtlpSinkOptions {
  /** The URL of the collector, with its path. */
  endpoint: string | undefined;
  /** @default 'parley' */
  serviceName?: string | undefined;
}

const MAX_LINES_PER_EXPORT = 512;

/** A collector gives the same answer to every attempt with the same records. */
const FINAL_STATUSES: readonly unknown[] = [400, 413];

/** Severity numbers of OTLP. */
const INFO = 9;
const WARN = 13;

/** @throws Error when OpenTelemetry is not installed */
export async function openOtlpSink({ endpoint, serviceName = 'parley' }: OtlpSinkOptions): Promise<Sink> {
  if (endpoint === undefined) throw new Error('The audit log otlp needs the URL of a collector');
  const [{ resourceFromAttributes }, { LoggerProvider }, { OTLPLogExporter }] = await loadOptional(
    'OpenTelemetry',
    () =>
      Promise.all([
        import('@opentelemetry/resources'),
        import('@opentelemetry/sdk-logs'),
        import('@opentelemetry/exporter-logs-otlp-http'),
      ]),
  );
  const exporter = new OTLPLogExporter({ url: endpoint });
  let spanContext: SpanContext | undefined;
  let records: ReadWriteLogRecord[] = [];
  // The SDK's batch processor drops records without a notice: the log queues and retries itself.
  const collect = (record: ReadWriteLogRecord) => {
    if (spanContext !== undefined) record.spanContext = spanContext;
    records.push(record);
  };
  const ignore = async () => {};
  const provider = new LoggerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    processors: [{ onEmit: collect, forceFlush: ignore, shutdown: ignore }],
  });
  const logger = provider.getLogger('parley.audit');

  return {
    maxLines: MAX_LINES_PER_EXPORT,
    async write(lines) {
      for (const line of lines) {
        const { traceId, ...entry } = JSON.parse(line) as AuditLine;
        spanContext = traceId === null ? undefined : { traceId, spanId: '', traceFlags: 0 };
        // The active context may be that of another operation.
        logger.emit({ ...recordOf(entry), context: ROOT_CONTEXT });
      }
      const batch = records;
      records = [];
      const { error } = await new Promise<{ error?: Error & { code?: unknown } }>((resolve) =>
        exporter.export(batch, resolve),
      );
      if (error === undefined) return;
      // The message of an error with a code may be the collector's: it can contain anything.
      const { code = error.message } = error;
      throw FINAL_STATUSES.includes(code) ? error : new SinkUnavailableError(String(code));
    },
    close: () => exporter.shutdown(),
  };
}

function recordOf({ time, event, result, ...entry }: Omit<AuditLine, 'traceId'>) {
  const isOk = result === 'ok';
  const attributes = {
    'parley.audit.result': result,
    'user.id': entry.userId,
    'parley.audit.admin': entry.isAdmin,
    'parley.access_token.id': entry.accessTokenId,
    'parley.chat.ids': [...entry.chatIds],
    'parley.audit.target': entry.target,
    'parley.audit.field': entry.field,
    'parley.audit.route': entry.route,
    'parley.request.id': entry.requestId,
    'client.address': entry.address,
  };
  return {
    timestamp: new Date(time),
    eventName: `parley.${event}`,
    body: event,
    severityNumber: isOk ? INFO : WARN,
    severityText: isOk ? 'INFO' : 'WARN',
    attributes: Object.fromEntries(Object.entries(attributes).filter(([, value]) => value != null)),
  };
}
