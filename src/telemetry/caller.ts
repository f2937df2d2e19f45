import type { SpanContext } from '@opentelemetry/api';
import type { OperationEntry } from './operation-entry.js';

/** The origin of an operation. */
export interface Caller extends Pick<OperationEntry, 'requestId' | 'transport' | 'address'> {
  /** Its parent span: that of its HTTP request, or of the client. */
  readonly parent?: SpanContext | undefined;
}
