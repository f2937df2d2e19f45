import { getOperationAST, GraphQLError, type DocumentNode } from 'graphql';
import type { Caller, ObservedOperation } from '../../observer.js';
import type { Metrics } from './metrics.js';
import type { OperationEntry, OperationType } from '../../operation-entry.js';
import type { OperationSpan, Traces } from './traces.js';

/** Receive what is observed of an operation. */
export interface OperationObservers {
  metrics: Pick<Metrics, 'countOperation'>;
  /** Null when traces are off. */
  traces: Traces | null;
  /** Receives the record of an operation. */
  logOperation?: ((entry: OperationEntry) => void) | undefined;
}

export class RunningOperation implements ObservedOperation {
  readonly #began = Date.now();
  readonly #clock = performance.now();
  #type: OperationType | null = null;
  #name: string | null = null;
  #refusal: string | null = null;
  #span: OperationSpan | undefined;
  #hasRun = false;
  isOver = false;

  constructor(
    private readonly caller: Caller,
    /** The user; null when unknown. */
    private readonly userId: string | null,
    private readonly options: OperationObservers,
  ) {}

  setDocument(document: DocumentNode, operationName: string | null | undefined): void {
    const operation = getOperationAST(document, operationName);
    this.#type = operation?.operation ?? null;
    this.#name = operation?.name?.value ?? null;
  }

  run<Args extends unknown[], T>(part: (...args: Args) => T): (...args: Args) => T {
    this.#hasRun = true;
    const { traces } = this.options;
    if (traces === null) return part;
    const span = (this.#span ??= this.#newSpan(traces));
    return (...args) => span.run(() => part(...args));
  }

  refuse(code: string): void {
    this.#refusal = code;
    this.end();
  }

  end(errors: readonly unknown[] = []): void {
    if (this.isOver) return;
    this.isOver = true;
    const { requestId, transport, address } = this.caller;
    const entry: OperationEntry = {
      requestId,
      transport,
      address,
      type: this.#type,
      name: this.#name,
      code: this.#refusal ?? (errors.length === 0 ? 'OK' : codeOf(errors[0])),
      hasRun: this.#hasRun,
      durationMs: performance.now() - this.#clock,
      userId: this.userId,
      reason: errors.length === 0 ? null : reasonOf(errors[0]),
      errorIds: errors.flatMap(idOf),
    };
    const { traces, metrics, logOperation } = this.options;
    if (traces !== null) (this.#span ?? this.#newSpan(traces)).end(entry);
    metrics.countOperation(entry);
    logOperation?.(entry);
  }

  #newSpan(traces: Traces): OperationSpan {
    return traces.operation({ type: this.#type, name: this.#name, began: this.#began, parent: this.caller.parent });
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof GraphQLError ? error.extensions['code'] : undefined;
  // Validation errors have no code.
  return typeof code === 'string' ? code : 'GRAPHQL_VALIDATION_FAILED';
}

/** The reason of an UnauthenticatedError. */
function reasonOf(error: unknown): string | null {
  if (!(error instanceof GraphQLError) || error.extensions['code'] !== 'UNAUTHENTICATED') return null;
  const { originalError } = error;
  return originalError !== undefined && 'reason' in originalError ? String(originalError.reason) : null;
}

function idOf(error: unknown): string[] {
  const id = error instanceof GraphQLError ? error.extensions['id'] : undefined;
  return typeof id === 'string' ? [id] : [];
}
