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
  /** Why it is not known, in words of the server's own: what is wrong with a token that was refused. */
  readonly reason: string | null;
  /** Under which unexpected errors of it are logged. */
  readonly errorIds: readonly string[];
}

/**
 * What is told of an HTTP request when its response has been sent, or given up; and of what was refused before there was
 * one.
 */
export interface RequestEntry extends Pick<OperationEntry, 'requestId' | 'address'> {
  /** Null of what could not be read. */
  readonly method: string | null;
  readonly route: Route | RefusedRoute;
  /** 499 when the client went away before any of it was sent. */
  readonly status: number;
  readonly durationMs: number;
}

const ROUTES = ['/graphql', '/health/live', '/health/ready', '/metrics', '/export', '/import', '/users'] as const;

/** Paths that the server knows: of every other one nothing is told, for anything may be in it. */
export type Route = (typeof ROUTES)[number] | 'other';

/** In the place of a route: a request for a WebSocket that was refused, and what was not read to its end. */
export type RefusedRoute = 'handshake' | 'unreadable';

export function routeOf(url = ''): Route {
  const [path] = url.split('?');
  return ROUTES.find((route) => route === path) ?? 'other';
}
