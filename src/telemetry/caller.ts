import type { SpanContext } from '@opentelemetry/api';
import type { OperationEntry } from './operation-entry.js';

/** Where an operation comes from. */
export interface Caller extends Pick<OperationEntry, 'requestId' | 'transport' | 'address'> {
  /** The span that it is part of: of its HTTP request here, or of the client. */
  readonly parent?: SpanContext | undefined;
}
