/** What the feature that counts, logs and traces gets from the server. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SpanContext } from '@opentelemetry/api';
import type { DocumentNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Registry } from 'prom-client';
import type { OperationEntry, RequestEntry } from './operation-entry.js';

export interface ObserverOptions {
  /** Kind of the database. */
  readonly database: 'sqlite' | 'postgresql' | 'sqlserver';
  /** URL of an OpenTelemetry collector; without it nothing is traced. */
  readonly traceEndpoint: string | undefined;
  readonly serviceName: string;
  /** Receives a log line. */
  log(line: string): void;
  /** Returns the recorded route of a request's target. */
  routeOf(url: string | undefined): string;
  /** Returns the address of a client. */
  addressOf(request: IncomingMessage): string | null;
  /** Receives the record of an operation. */
  readonly logOperation?: ((entry: OperationEntry) => void) | undefined;
  /** Receives the record of a request. */
  readonly logRequest?: ((entry: RequestEntry) => void) | undefined;
}

export interface Telemetry {
  /** Of the metrics. */
  readonly registry: Registry;
  readonly observer: Observer;
  /** Called with each completed statement. */
  statement(run: StatementRun): void;
  /** Reads a part of the server at each scrape. */
  read(readings: Readings): void;
  /** Sends the remaining spans. Settles within seconds; never rejects. */
  stop(): Promise<void>;
}

/** A completed SQL statement. The text has placeholders and no values. */
export interface StatementRun {
  readonly sql: string;
  /** Whether it was part of a change, or only read. */
  readonly kind: 'change' | 'read';
  readonly durationMs: number;
  readonly hasFailed: boolean;
}

/** Values that are read at each scrape. */
export interface Readings {
  connections(): number;
  sockets(): number;
  subscriptions(): { clients: number; groups: number; delivered: number };
  feeds(): { chats: number; unread: number; behind: number };
  /** 'none' when the server uses no bus. */
  bus(): 'up' | 'down' | 'none';
  /** The running fill of values that messages of older versions lack. */
  fill(): { done: number; total: number } | null;
  /** Whether the database answers, and its migrations. Settles within seconds. */
  health(): Promise<{
    isReady: boolean;
    database: 'up' | 'read-only' | 'down';
    migrations: { applied: number; expected: number } | null;
  }>;
  /** The database's pools of connections. */
  pools(): readonly { name: string; size: number; used: number; waiting: number }[];
}

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
  /** Records a connection without a complete request. */
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
  /** Runs the operation or a part of it; statements of the part count as the operation's. */
  run<T>(part: () => T): T;
  /** Called when it was refused before execution. */
  refuse(code: string): void;
  /** Called at its end; records it once. */
  end(errors?: readonly unknown[]): void;
}
