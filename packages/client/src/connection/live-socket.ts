/** The one WebSocket of a client: it comes back by itself, and what is followed goes on where it was. */
import { createClient, type Client } from 'graphql-ws/client';
import { asParleyError, ClosedError, RequestError, UnauthorizedError, UnreachableError } from './errors.js';
import { pause, type RetryDelay } from './pause.js';
import { errorOf, type AnsweredError } from './result.js';
import type { Operation } from './operation.js';
import type { TokenSource } from './token.js';

/** What whoever follows something is told. */
export interface Followed<Result> {
  next(data: Result): void;
  /** It is asked for on a socket that has just been opened; `isAgain` when it was before. */
  connected?(isAgain: boolean): void;
  /** The socket is gone, and why; it will be opened again. */
  away?(reason: UnreachableError | UnauthorizedError): void;
  /** Nothing more will come: `error` says why, null when there is nothing more to tell. */
  ended?(error: Error | null): void;
}

export interface LiveSocketOptions {
  url: string;
  tokens: TokenSource;
  webSocket: unknown;
  retryDelay: RetryDelay;
  /** How often to ask whether the server is there, and how long to wait for its answer, in milliseconds. */
  pingMs: number;
}

export class LiveSocket {
  readonly #client: Client;
  readonly #closing = new AbortController();
  readonly #connected = new Set<() => void>();
  #isOpen = false;
  #header: string | null = null;
  #tries = 0;
  #silence: ReturnType<typeof setTimeout> | undefined;
  /** What all wait for before they try again. */
  #pause: Promise<void> | undefined;

  constructor(private readonly options: LiveSocketOptions) {
    const { url, tokens, webSocket, pingMs } = options;
    this.#client = createClient({
      url,
      webSocketImpl: webSocket,
      // It would ask again with the variables that it was given first.
      retryAttempts: 0,
      keepAlive: pingMs,
      connectionAckWaitTimeout: pingMs,
      connectionParams: async () => {
        this.#header = await tokens.header();
        return this.#header === null ? {} : { authorization: this.#header };
      },
      on: {
        connected: () => {
          this.#tries = 0;
          this.#isOpen = true;
          for (const tell of this.#connected) tell();
        },
        ping: (isFromServer) => {
          if (isFromServer) return;
          clearTimeout(this.#silence);
          this.#silence = setTimeout(() => this.#client.terminate(), pingMs);
        },
        pong: () => clearTimeout(this.#silence),
        closed: () => {
          this.#isOpen = false;
          clearTimeout(this.#silence);
        },
      },
    });
  }

  /**
   * Follows a subscription until it is over. What has a `seq`, or a `length`, is asked for again behind the
   * last that has come.
   * @returns what ends it; nothing is told then
   */
  follow<Result, Variables>(query: Operation<Result, Variables>, given: Variables, followed: Followed<Result>) {
    const variables = { ...given } as Record<string, unknown>;
    const over = new AbortController();
    // Asked anew each time: it may change while something is waited for.
    const isOver = () => over.signal.aborted;
    const isClosed = () => this.#closing.signal.aborted;
    const end = (error: Error | null) => {
      if (isOver()) return;
      over.abort();
      followed.ended?.(error);
    };
    void (async () => {
      let times = 0;
      const connected = () => followed.connected?.(times++ > 0);
      while (!isOver()) {
        if (isClosed()) return end(new ClosedError());
        const reason = await this.#once(query, variables, followed, over.signal, connected);
        if (isOver()) return;
        if (isClosed()) return end(new ClosedError());
        if (reason === null || reason instanceof RequestError) return end(reason);
        if (reason instanceof UnauthorizedError && !(await this.options.tokens.renew(this.#header))) return end(reason);
        followed.away?.(reason);
        await this.#wait();
      }
    })();
    return () => over.abort();
  }

  close(): void {
    this.#closing.abort();
    clearTimeout(this.#silence);
    void this.#client.dispose();
  }

  /** One subscription on one socket. Settles with why it has ended; null when it is complete. */
  #once<Result, Variables>(
    query: Operation<Result, Variables>,
    variables: Record<string, unknown>,
    followed: Followed<Result>,
    over: AbortSignal,
    connected: () => void,
  ): Promise<RequestError | UnreachableError | UnauthorizedError | null> {
    return new Promise((resolve) => {
      this.#connected.add(connected);
      if (this.#isOpen) queueMicrotask(() => !over.aborted && connected());
      let stop = () => {};
      const settle = (reason: RequestError | UnreachableError | UnauthorizedError | null) => {
        this.#connected.delete(connected);
        over.removeEventListener('abort', leave);
        resolve(reason);
      };
      const leave = () => {
        stop();
        settle(null);
      };
      over.addEventListener('abort', leave);
      stop = this.#client.subscribe<Result>(
        { query, variables },
        {
          next: ({ data, errors }) => {
            if (over.aborted) return;
            const [update]: ({ seq?: number; length?: number } | null | undefined)[] = Object.values(data ?? {});
            const after = update?.seq ?? update?.length;
            if (after !== undefined) variables['after'] = after;
            if (data != null && update != null) followed.next(data);
            // An error beside data is of a field that has failed; without, the subscription goes on, or is over.
            else if (errors !== undefined && isFinal(errors)) {
              stop();
              settle(errorOf(errors[0] as AnsweredError) as RequestError);
            }
          },
          error: (reason) => settle(endOf(reason)),
          complete: () => settle(null),
        },
      );
      if (over.aborted) leave();
    });
  }

  /** All that is followed tries again at once, on one socket. */
  #wait(): Promise<void> {
    return (this.#pause ??= pause(this.options.retryDelay(this.#tries++), this.#closing.signal).finally(() => {
      this.#pause = undefined;
    }));
  }
}

/** Answers of these codes are left out, and those behind them come. */
const isFinal = (errors: readonly { extensions?: unknown }[]) =>
  errors.every(
    ({ extensions }) => !/^(TIMEOUT|TOO_LARGE)$/.test((extensions as { code?: string } | undefined)?.code ?? ''),
  );

/** Why a subscription has ended: errors of the operation, or how the socket was closed. */
function endOf(reason: unknown): RequestError | UnreachableError | UnauthorizedError {
  if (Array.isArray(reason)) return errorOf(reason[0] as AnsweredError) as RequestError;
  const { code, reason: words } = reason as { code?: number; reason?: string };
  if (code === 4403) return new UnauthorizedError('The token was refused, or has expired');
  return new UnreachableError(words || 'The connection broke', { cause: asParleyError(reason) });
}
