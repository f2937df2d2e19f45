/**
 * The one WebSocket of a client, in the graphql-transport-ws protocol: it comes back by itself, and what is followed goes
 * on where it was. graphql-ws has three times its size, goes on with the variables that it was given first, and brings
 * graphql along.
 */
import { ClosedError, UnauthorizedError, unreachable, UnreachableError } from '@parley/transport/errors';
import { pause, type RetryDelay } from '@parley/transport/pause';
import { errorOf, type Answer, type AnsweredError } from './result.js';
import type { Operation } from './operation.js';
import type { TokenSource } from './token.js';

/** What whoever follows something is told. */
export interface Followed<Result> {
  next(data: Result): void;
  /** It is asked for on a socket that is open; `isAgain` when it was before. */
  connected?(isAgain: boolean): void;
  /** It cannot be told for now, and why; it will be asked for again. */
  away?(reason: UnreachableError | UnauthorizedError): void;
  /** Nothing more will come: `error` says why, null when there is nothing more to tell. */
  ended?(error: Error | null): void;
}

/** What of a WebSocket is used: that of browsers, and of `ws`. */
export interface Socket {
  onopen: unknown;
  onmessage: unknown;
  onclose: unknown;
  onerror: unknown;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  /** Of `ws`, which waits half a minute for an answer otherwise. */
  terminate?(): void;
}
export type SocketClass = new (url: string, protocol: string) => Socket;

export interface LiveSocketOptions {
  url: string;
  tokens: TokenSource;
  webSocket: SocketClass;
  retryDelay: RetryDelay;
  /** How long nothing is heard before the server is asked whether it is there, and then before it is not; 0 for never. */
  pingMs: number;
}

interface Subscription {
  /** A new one each time that it is asked for. */
  id: string;
  query: string;
  variables: Record<string, unknown>;
  followed: Followed<unknown>;
  times: number;
}

type Away = UnreachableError | UnauthorizedError;

interface Message {
  type: string;
  id?: string;
  payload?: unknown;
}

export class LiveSocket {
  readonly #closing = new AbortController();
  readonly #followed = new Set<Subscription>();
  /** Those that were asked for on this socket. */
  readonly #running = new Map<string, Subscription>();
  #socket: Socket | undefined;
  #isReady = false;
  /** Whether it is being opened, or will be. */
  #isOpening = false;
  #lastId = 0;
  #tries = 0;
  #header: string | null = null;
  #silence: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: LiveSocketOptions) {}

  /**
   * Follows a subscription until it is over. What has a `seq`, or a `length`, is asked for again behind the last that has
   * come.
   * @returns what ends it; nothing is told then
   */
  follow<Result, Variables>(query: Operation<Result, Variables>, given: Variables, followed: Followed<Result>) {
    const variables = { ...given } as Record<string, unknown>;
    const subscription = { id: '', query, variables, followed: followed as Followed<unknown>, times: 0 };
    this.#followed.add(subscription);
    if (this.#isReady) queueMicrotask(() => this.#ask(subscription));
    else if (!this.#isOpening) void this.#open();
    return () => this.#leave(subscription);
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
    } catch (cause) {
      return this.#lost(new UnauthorizedError('No token could be fetched', { cause }));
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
      else this.#hear(message);
    };
    socket.onclose = ({ code, reason }: { code: number; reason: string }) => {
      if (code === 4403) void this.#renew();
      else void this.#lost(unreachable(`Closed with ${code} ${reason}`));
    };
    // It is closed after that.
    socket.onerror = () => {};
  }

  #hear({ type, id = '', payload }: Message): void {
    this.#watch();
    const subscription = this.#running.get(id);
    if (type === 'ping') this.#send({ type: 'pong' });
    else if (type === 'connection_ack') {
      this.#isReady = true;
      this.#isOpening = false;
      this.#tries = 0;
      for (const waiting of [...this.#followed]) this.#ask(waiting);
    } else if (subscription === undefined) return;
    else if (type === 'next') this.#tell(subscription, payload as Answer);
    else if (type === 'error') this.#fail(subscription, errorOf((payload as [AnsweredError])[0]));
    else if (type === 'complete') this.#end(subscription, null);
  }

  #ask(subscription: Subscription): void {
    if (!this.#isReady || !this.#followed.has(subscription)) return;
    const { query, variables, followed } = subscription;
    const id = String(++this.#lastId);
    subscription.id = id;
    this.#running.set(id, subscription);
    this.#send({ type: 'subscribe', id, payload: { query, variables } });
    followed.connected?.(subscription.times++ > 0);
  }

  #tell(subscription: Subscription, { data, errors }: Answer): void {
    const [update] = Object.values((data ?? {}) as Record<string, { seq?: number; length?: number } | null>);
    if (update != null) {
      const after = update.seq ?? update.length;
      if (after !== undefined) subscription.variables['after'] = after;
      subscription.followed.next(data);
    } else if (errors?.[0] !== undefined && !/^(TIMEOUT|TOO_LARGE)$/.test(errors[0].extensions?.code ?? '')) {
      // What takes too long, or is too large, is left out, and what is behind it comes.
      this.#fail(subscription, errorOf(errors[0]));
    }
  }

  #fail(subscription: Subscription, error: Error): void {
    if (!(error instanceof UnreachableError)) return this.#end(subscription, error);
    this.#running.delete(subscription.id);
    subscription.followed.away?.(error);
    void pause(this.options.retryDelay(this.#tries++), this.#closing.signal).then(() => this.#ask(subscription));
  }

  #end(subscription: Subscription, error: Error | null): void {
    this.#running.delete(subscription.id);
    if (!this.#followed.delete(subscription)) return;
    subscription.followed.ended?.(error);
    this.#rest();
  }

  #leave(subscription: Subscription): void {
    if (!this.#followed.delete(subscription)) return;
    if (this.#running.delete(subscription.id)) this.#send({ type: 'complete', id: subscription.id });
    this.#rest();
  }

  /** A socket that nobody needs is closed, unless somebody comes at once. */
  #rest(): void {
    queueMicrotask(() => {
      if (this.#followed.size === 0) this.#drop();
    });
  }

  async #renew(): Promise<void> {
    const error = new UnauthorizedError('The token was refused, or has expired');
    this.#drop();
    this.#isOpening = true;
    if (await this.options.tokens.renew(this.#header)) return this.#lost(error);
    this.#isOpening = false;
    for (const subscription of [...this.#followed]) this.#end(subscription, error);
  }

  /** All that is followed goes on on another socket. */
  async #lost(reason: Away): Promise<void> {
    this.#drop();
    this.#isOpening = true;
    for (const { followed } of [...this.#followed]) followed.away?.(reason);
    await pause(this.options.retryDelay(this.#tries++), this.#closing.signal);
    if (!this.#isOver()) await this.#open();
  }

  /** Whether nobody waits for it to open any more. */
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

  /** A network may swallow everything without a word. */
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

/** A message of the protocol; null for anything else, such as the text of a proxy. */
function parsed(data: unknown): Message | null {
  try {
    return JSON.parse(String(data)) as Message | null;
  } catch {
    return null;
  }
}
