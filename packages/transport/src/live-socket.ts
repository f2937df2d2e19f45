/**
 * The WebSocket of a client, in the graphql-transport-ws protocol. It reconnects, and repeats its subscriptions after
 * the last event of each. graphql-ws has three times the size, repeats them with their first variables, and needs
 * graphql.
 */
import { errorOf, type Answer, type AnsweredError } from './answer.js';
import { ClosedError, UnauthorizedError, unreachable, UnreachableError } from './errors.js';
import { pause, type RetryDelay } from './pause.js';
import type { TokenSource } from './token.js';

/** A subscriber. */
export interface Followed<Result> {
  next(data: Result): void;
  /** The subscription was sent on an open socket; `isAgain` when it was sent before. */
  connected?(isAgain: boolean): void;
  /** No events arrive for now, for this reason; the subscription will be sent again. */
  away?(reason: UnreachableError | UnauthorizedError): void;
  /** No events will follow. The error is null when the subscription is complete. */
  ended?(error: Error | null): void;
}

/** The part of a WebSocket that is used: of browsers, and of `ws`. */
export interface Socket {
  onopen: unknown;
  onmessage: unknown;
  onclose: unknown;
  onerror: unknown;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  /** Only in `ws`, whose `close` waits 30 seconds for the other side. */
  terminate?(): void;
}
export type SocketClass = new (url: string, protocol: string) => Socket;

export interface LiveSocketOptions {
  url: string;
  tokens: TokenSource;
  webSocket: SocketClass;
  retryDelay: RetryDelay;
  /** Milliseconds of silence before a ping, and again before the socket counts as lost; 0 for never. */
  pingMs: number;
}

interface Subscription {
  /** A new object each time the subscription is sent. */
  id: string;
  query: string;
  variables: Record<string, unknown>;
  followed: Followed<unknown>;
  times: number;
}

interface Message {
  type: string;
  id?: string;
  payload?: unknown;
}

export class LiveSocket {
  readonly #closing = new AbortController();
  readonly #followed = new Set<Subscription>();
  /** The subscriptions that were sent on this socket. */
  readonly #running = new Map<string, Subscription>();
  #socket: Socket | undefined;
  #isReady = false;
  /** Whether the socket is being opened, or will be. */
  #isOpening = false;
  #lastId = 0;
  #tries = 0;
  #header: string | null = null;
  #silence: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: LiveSocketOptions) {}

  /**
   * Follows a subscription until it ends. After a reconnection, it is sent again with the last `seq` or `length` as
   * `after`.
   * @returns ends the subscription, without calling the subscriber
   */
  follow(query: string, given: object, followed: Followed<unknown>): () => void {
    const subscription = { id: '', query, variables: { ...given }, followed, times: 0 };
    this.#followed.add(subscription);
    if (this.#isReady) queueMicrotask(() => this.#subscribe(subscription));
    else if (!this.#isOpening) void this.#open();
    return () => this.#unsubscribe(subscription);
  }

  close(): void {
    this.#closing.abort(new ClosedError());
    this.#drop();
    for (const subscription of this.#followed) this.#end(subscription, new ClosedError());
  }

  async #open(): Promise<void> {
    const { url, tokens, webSocket } = this.options;
    this.#isOpening = true;
    try {
      this.#header = await tokens.header();
    } catch (error) {
      return this.#lost(error as UnauthorizedError);
    }
    if (this.#isOver()) return;
    const socket = new webSocket(url, 'graphql-transport-ws');
    this.#socket = socket;
    this.#watch();
    const payload = this.#header === null ? {} : { authorization: this.#header };
    socket.onopen = () => this.#send({ type: 'connection_init', payload });
    socket.onmessage = ({ data }: { data: unknown }) => {
      const message = parsed(data);
      if (message === null) void this.#lost(unreachable(data));
      else this.#receive(message);
    };
    socket.onclose = ({ code, reason }: { code: number; reason: string }) => {
      if (code === 4403) void this.#renew();
      else void this.#lost(unreachable(`Closed: ${code} ${reason}`));
    };
    // `onclose` follows.
    socket.onerror = () => {};
  }

  #receive({ type, id = '', payload }: Message): void {
    this.#watch();
    const subscription = this.#running.get(id);
    if (type === 'ping') this.#send({ type: 'pong' });
    else if (type === 'connection_ack') {
      this.#isReady = true;
      this.#isOpening = false;
      this.#tries = 0;
      for (const waiting of [...this.#followed]) this.#subscribe(waiting);
    } else if (subscription === undefined) return;
    else if (type === 'next') this.#deliver(subscription, payload as Answer);
    else if (type === 'error') this.#fail(subscription, errorOf((payload as [AnsweredError])[0]));
    else if (type === 'complete') this.#end(subscription, null);
  }

  #subscribe(subscription: Subscription): void {
    if (!this.#isReady || !this.#followed.has(subscription)) return;
    const { query, variables, followed } = subscription;
    const id = String(++this.#lastId);
    subscription.id = id;
    this.#running.set(id, subscription);
    this.#send({ type: 'subscribe', id, payload: { query, variables } });
    followed.connected?.(subscription.times++ > 0);
  }

  #deliver(subscription: Subscription, { data, errors }: Answer): void {
    const [update] = Object.values((data ?? {}) as Record<string, { seq?: number; length?: number } | null>);
    if (update != null) {
      const after = update.seq ?? update.length;
      if (after !== undefined) subscription.variables['after'] = after;
      subscription.followed.next(data);
    } else if (errors?.[0] !== undefined && !/^(TIMEOUT|TOO_LARGE)$/.test(errors[0].extensions?.code ?? '')) {
      // An event that takes too long or is too large is skipped.
      this.#fail(subscription, errorOf(errors[0]));
    }
  }

  #fail(subscription: Subscription, error: Error): void {
    if (!(error instanceof UnreachableError)) return this.#end(subscription, error);
    this.#running.delete(subscription.id);
    subscription.followed.away?.(error);
    void pause(this.options.retryDelay(this.#tries++), this.#closing.signal).then(() => this.#subscribe(subscription));
  }

  #end(subscription: Subscription, error: Error | null): void {
    this.#running.delete(subscription.id);
    if (!this.#followed.delete(subscription)) return;
    subscription.followed.ended?.(error);
    this.#closeUnused();
  }

  #unsubscribe(subscription: Subscription): void {
    if (!this.#followed.delete(subscription)) return;
    if (this.#running.delete(subscription.id)) this.#send({ type: 'complete', id: subscription.id });
    this.#closeUnused();
  }

  /** Closes a socket without subscriptions, unless one follows immediately. */
  #closeUnused(): void {
    queueMicrotask(() => {
      if (this.#followed.size === 0) this.#drop();
    });
  }

  async #renew(): Promise<void> {
    const error = new UnauthorizedError('The token was refused');
    this.#drop();
    this.#isOpening = true;
    if (await this.options.tokens.renew(this.#header)) return this.#lost(error);
    this.#isOpening = false;
    for (const subscription of [...this.#followed]) this.#end(subscription, error);
  }

  /** All subscriptions continue on another socket. */
  async #lost(reason: UnreachableError | UnauthorizedError): Promise<void> {
    this.#drop();
    this.#isOpening = true;
    for (const { followed } of [...this.#followed]) followed.away?.(reason);
    await pause(this.options.retryDelay(this.#tries++), this.#closing.signal);
    if (!this.#isOver()) await this.#open();
  }

  /** Whether no subscription waits for the socket. */
  #isOver(): boolean {
    const isOver = this.#followed.size === 0 || this.#closing.signal.aborted;
    if (isOver) this.#isOpening = false;
    return isOver;
  }

  #drop(): void {
    clearTimeout(this.#silence);
    this.#running.clear();
    this.#isReady = false;
    const socket = this.#socket;
    if (socket === undefined) return;
    this.#socket = undefined;
    this.#isOpening = false;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close(1000);
  }

  /** A network may lose a connection without closing it. */
  #watch(): void {
    clearTimeout(this.#silence);
    const { pingMs } = this.options;
    if (pingMs === 0) return;
    this.#silence = setTimeout(() => {
      if (this.#isReady) this.#send({ type: 'ping' });
      this.#silence = setTimeout(() => {
        const socket = this.#socket;
        void this.#lost(unreachable('Silence'));
        socket?.terminate?.();
      }, pingMs);
    }, pingMs);
  }

  #send(message: object): void {
    this.#socket?.send(JSON.stringify(message));
  }
}

/** A message of the protocol; null for any other text, such as one of a proxy. */
function parsed(data: unknown): Message | null {
  try {
    return JSON.parse(String(data)) as Message | null;
  } catch {
    return null;
  }
}
