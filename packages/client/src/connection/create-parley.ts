/** A client of one server: requests over HTTP, and one WebSocket for subscriptions. */
import { ClosedError } from '@parley/transport/errors';
import { growing, type RetryDelay } from '@parley/transport/pause';
import { LiveSocket, type Followed, type SocketClass } from '@parley/transport/live-socket';
import { Requests } from './requests.js';
import { TokenSource, type Token } from '@parley/transport/token';
import type { Operation } from './operation.js';
import type { Succeeded } from './result.js';

export interface ParleyOptions {
  /** The GraphQL endpoint: `https://…/graphql`, or `/graphql` on the page's own server. */
  url: string;
  /**
   * The WebSocket endpoint.
   * @default `url` with `ws:` or `wss:`
   */
  webSocketUrl?: string;
  /** A token, or a function that fetches one, for a server that requires authentication. */
  token?: Token;
  /** @default globalThis.fetch */
  fetch?: typeof globalThis.fetch;
  /** @default globalThis.WebSocket; pass the one of `ws` in Node 20 */
  webSocket?: SocketClass;
  /**
   * Returns the delay before the n-th retry, in milliseconds.
   * @default from 250 up to 30,000
   */
  retryDelay?: RetryDelay;
  /**
   * The time limit of a request, in milliseconds.
   * @default 30_000
   */
  timeoutMs?: number;
  /**
   * The interval of pings on the socket, in milliseconds; 0 sends none.
   * @default 12_000
   */
  pingMs?: number;
}

export interface Parley {
  readonly url: string;
  readonly retryDelay: RetryDelay;
  /**
   * Runs a query or mutation.
   * @throws RefusedError, HeadConflictError for a failure of the contract; nothing was written
   * @throws UnreachableError without a response: the operation may have been executed
   * @throws UnauthorizedError after a renewed token was refused, too
   * @throws RequestError for any other error of the server
   */
  run<Result, Variables>(
    operation: Operation<Result, Variables>,
    variables: Variables,
    signal?: AbortSignal,
  ): Promise<Succeeded<Result>>;
  /**
   * Follows a subscription, and resumes it after lost connections.
   * @returns a function that ends the subscription
   */
  follow<Result, Variables>(
    operation: Operation<Result, Variables>,
    variables: Variables,
    followed: Followed<Result>,
  ): () => void;
  /** Ends all requests and subscriptions; later calls fail with a ClosedError. */
  close(): void;
}

export function createParley({
  url,
  webSocketUrl,
  token,
  fetch = (...request) => globalThis.fetch(...request),
  webSocket = (globalThis as { WebSocket?: SocketClass }).WebSocket,
  retryDelay = growing,
  timeoutMs = 30_000,
  pingMs = 12_000,
}: ParleyOptions): Parley {
  const tokens = new TokenSource(token);
  const requests = new Requests(url, tokens, fetch, timeoutMs);
  let socket: LiveSocket | undefined;
  let isClosed = false;
  // A server-side render follows nothing, and may have no WebSocket.
  const live = () => {
    if (webSocket === undefined) throw new Error('Pass the option webSocket');
    return (socket ??= new LiveSocket({
      url: webSocketUrl ?? webSocketUrlOf(url),
      tokens,
      webSocket,
      retryDelay,
      pingMs,
    }));
  };
  return {
    url,
    retryDelay,
    run: (operation, variables, signal) => requests.run(operation, variables, signal),
    follow(operation, variables, followed) {
      if (!isClosed) return live().follow(operation, variables as object, followed);
      queueMicrotask(() => followed.ended?.(new ClosedError()));
      return () => {};
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      requests.close();
      socket?.close();
    },
  };
}

function webSocketUrlOf(url: string): string {
  const page = (globalThis as { location?: { href: string } }).location?.href;
  return new URL(url, page).href.replace(/^http/, 'ws');
}
