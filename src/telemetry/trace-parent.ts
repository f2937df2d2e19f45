import { isSpanContextValid, type SpanContext } from '@opentelemetry/api';

/** The parent span of a request, from W3C's traceparent; undefined without one. */
export function traceParent(header: unknown): SpanContext | undefined {
  if (typeof header !== 'string') return undefined;
  // Later versions may append fields; version ff is invalid.
  const match = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(header);
  if (match === null) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = match;
  const context = { traceId, spanId, traceFlags: parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}
