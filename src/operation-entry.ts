export type OperationType = 'query' | 'mutation' | 'subscription';

/** The record of an operation at its end; of a subscription, when it began or was refused. */
export interface OperationEntry {
  /** The id of the HTTP request; over WebSocket that of the socket, with the number of the operation on it. */
  readonly requestId: string;
  readonly transport: 'http' | 'websocket';
  /** The client's address, if known. */
  readonly address: string | null;
  /** Null when the document was not parsed. */
  readonly type: OperationType | null;
  readonly name: string | null;
  readonly code: string;
  /** Whether it ran; false when it was refused before. */
  readonly hasRun: boolean;
  readonly durationMs: number;
  /** The user; null when unknown. */
  readonly userId: string | null;
  /** Why the user is unknown, such as the fault of a refused token, in the server's own words. */
  readonly reason: string | null;
  /** The ids under which its unexpected errors are logged. */
  readonly errorIds: readonly string[];
}

/** The record of an HTTP request after its response or its abort, and of requests refused before a response. */
export interface RequestEntry extends Pick<OperationEntry, 'requestId' | 'address'> {
  /** Null for an unreadable request. */
  readonly method: string | null;
  readonly route: string;
  /** 499 when the client disconnected before the response began. */
  readonly status: number;
  readonly durationMs: number;
}
