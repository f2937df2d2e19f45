export type OperationType = 'query' | 'mutation' | 'subscription';

/** What is told of an operation when it is over: of a subscription, when it has begun or was refused. */
export interface OperationEntry {
  /** Of the HTTP request; over WebSocket that of the socket, with the number of the operation on it. */
  readonly requestId: string;
  readonly transport: 'http' | 'websocket';
  /** The client's address, as far as it is known. */
  readonly address: string | null;
  /** Null when the document says nothing, because it could not be parsed, or was refused before. */
  readonly type: OperationType | null;
  readonly name: string | null;
  /** OK, or the code of the first error. */
  readonly code: string;
  /** Whether it was run at all, and not refused before. */
  readonly hasRun: boolean;
  readonly durationMs: number;
  /** Who asked; null when that is not known. */
  readonly userId: string | null;
  /** Under which unexpected errors of it are logged. */
  readonly errorIds: readonly string[];
}

/** What is told of an HTTP request when its response has been sent, or given up. */
export interface RequestEntry extends Pick<OperationEntry, 'requestId' | 'address'> {
  readonly method: string;
  readonly route: Route;
  readonly status: number;
  readonly durationMs: number;
}

const ROUTES = ['/graphql', '/health/live', '/health/ready', '/metrics'] as const;

/** Paths that the server knows: of every other one nothing is told, for anything may be in it. */
export type Route = (typeof ROUTES)[number] | 'other';

export function routeOf(url = ''): Route {
  const [path] = url.split('?');
  return ROUTES.find((route) => route === path) ?? 'other';
}
