/** The observer of requests and operations. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SpanContext } from '@opentelemetry/api';
import type { DocumentNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { OperationEntry } from './operation-entry.js';

/** The origin of an operation. */
export interface Caller extends Pick<OperationEntry, 'requestId' | 'transport' | 'address'> {
  /** Its parent span: that of its HTTP request, or of the client. */
  readonly parent?: SpanContext | undefined;
}

export interface Observer {
  /** Observes operations over HTTP. It must be the last plugin, to see the results of the others. */
  readonly plugin: Plugin;
  /**
   * Begins to observe a request: it gets its id, which the response returns, and is recorded when the response closes.
   */
  request(request: IncomingMessage, response: ServerResponse): void;
  /** Records a refused WebSocket request. */
  refusedHandshake(request: IncomingMessage, status: number): void;
  refusedConnection(address: string | null, status: number): void;
  /** The origin of a request, with or without a socket. */
  callerOf(request: IncomingMessage | undefined, headers?: Headers): Caller;
  /** Returns the origin of each operation of a WebSocket. */
  socketCaller(upgrade: IncomingMessage): (payload: { extensions?: unknown }) => Caller;
  /**
   * Begins to observe an operation.
   * @param userId null when the user is unknown
   */
  operation(caller: Caller, userId: string | null): ObservedOperation;
}

/** A running operation, observed until its end. */
export interface ObservedOperation {
  /** Called when its document was parsed. */
  setDocument(document: DocumentNode, operationName: string | null | undefined): void;
  /** Whether it is recorded. */
  readonly isOver: boolean;
  /** Marks that it runs. @returns the function that runs it or a part of it, whose statements count as the operation's */
  run<Args extends unknown[], T>(part: (...args: Args) => T): (...args: Args) => T;
  /** Called when it was refused before execution. */
  refuse(code: string): void;
  end(errors?: readonly unknown[]): void;
}
