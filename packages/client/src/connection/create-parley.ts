/** A client of one server: requests over HTTP, and one WebSocket for what is followed. */
import { ClosedError } from '@parley/transport/errors';
import { growing, type RetryDelay } from '@parley/transport/pause';
import { LiveSocket, type Followed, type SocketClass } from '@parley/transport/live-socket';
import { Requests } from './requests.js';
import { TokenSource, type Token } from '@parley/transport/token';
import type { Operation } from './operation.js';
import type { Succeeded } from './result.js';

export interface ParleyOptions {
  /** Where GraphQL is served: `https://…/graphql`, or `/graphql` on the page's own server. */
  url: string;
  /** Where it is served over WebSocket. By default the same with `ws:` or `wss:`. */
  webSocketUrl?: string;
  /** Where the server asks who you are. */
  token?: Token;
  /** The one of the platform by default. */
  fetch?: typeof globalThis.fetch;
  /** In Node 20, which has none of its own, that of `ws`. */
  webSocket?: SocketClass;
  /** How long to wait before the n-th try, in milliseconds: from a quarter of a second up to half a minute by default. */
  retryDelay?: RetryDelay;
  /** How long a request may take, in milliseconds: 30,000 by default. */
  timeoutMs?: number;
  /** How often to ask on the socket whether the server is there, in milliseconds: 12,000 by default; 0 for never. */
  pingMs?: number;
}

export interface Parley {
  readonly url: string;
  readonly retryDelay: RetryDelay;
  /**
   * Asks the server.
   * @throws RefusedError, HeadConflictError what the contract foresees; nothing was written
   * @throws UnreachableError without an answer: it may have been done
   * @throws UnauthorizedError when a fresh token was refused, too
   * @throws RequestError whatever else the server says is wrong
   */
  run<Result, Variables>(
    operation: Operation<Result, Variables>,
    variables: Variables,
    signal?: AbortSignal,
  ): Promise<Succeeded<Result>>;
  /** Follows a subscription through broken connections; answers what ends it. */
  follow<Result, Variables>(
    operation: Operation<Result, Variables>,
    variables: Variables,
    followed: Followed<Result>,
  ): () => void;
  /** Ends all that runs; what is asked from then on fails with a ClosedError. */
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
  // What renders on a server follows nothing, and may have no WebSocket.
  const live = () => {
    if (webSocket === undefined) throw new Error('There is no WebSocket here: give one as the option webSocket');
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
