/**
 * A client that follows a chat or a draft across faults, as in docs/subscriptions.md: after a disconnect, it subscribes
 * again after its last event. Records all received messages.
 */
import { createClient as createStreamClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { WebSocket } from 'ws';

export interface FollowerOptions {
  /** Its name in reports of missing events. */
  name: string;
  /** The endpoints: each connection uses the next one. */
  urls: readonly string[];
  transport: 'websocket' | 'stream';
  /** A subscription with one root field and with a variable `after`. */
  query: string;
  /** By default the subscription is infinite, and `seq` numbers its events. */
  events?: EventReader;
  variables: Readonly<Record<string, unknown>>;
  /** Headers of requests and handshakes. */
  headers?: Readonly<Record<string, string>>;
  /** The first `after`; null for the start of the subscription. */
  after: number | null;
  /** The interval of pings and the time limit of a pong, in milliseconds; 0 sends none. */
  pingMs?: number;
}

/** Reads an event. */
export interface EventReader {
  /** Its number; null without one. */
  place: (value: never) => number | null;
  /** Whether it is the last one. */
  isLast: (value: never) => boolean;
}

const LOG_EVENTS: EventReader = { place: ({ seq }: { seq: number }) => seq, isLast: () => false };

/** A connection with one subscription. */
interface Connection {
  /** Settles with the reason of its end. */
  ended: Promise<unknown>;
  /** Breaks the connection, like a failing network. */
  cut: () => void;
}

/** Codes of errors that a retry would return again. */
const FATAL = ['NOT_FOUND', 'BAD_USER_INPUT', 'GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED'];

/** Close codes for a client that violates the protocol, or that failed itself. */
const FATAL_CLOSE = [4004, 4005, 4400, 4401, 4406, 4409, 4429, 4500];

export class LogFollower {
  /** The number of the last event, or the first `after`; null before the first event. */
  position: number | null;
  /** All received events as JSON, in order. */
  received: string[] = [];
  reconnects = 0;
  /** The error that ended it, if any. */
  failure: Error | null = null;
  #connection: Connection | null = null;
  #isStopped = false;
  #waiting: { seq: number; resolve: () => void }[] = [];
  readonly #ended: Promise<void>;
  readonly #events: EventReader;

  constructor(readonly options: FollowerOptions) {
    this.position = options.after;
    this.#events = options.events ?? LOG_EVENTS;
    this.#ended = this.#follow();
  }

  /** Settles after the last event, a permanent error, or a stop. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Settles at an event with this number or a later one, or at a failure. */
  reached(seq: number): Promise<void> {
    if (this.failure !== null || (this.position ?? -1) >= seq) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ seq, resolve }));
  }

  cut(): void {
    this.#connection?.cut();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.cut();
    await this.#ended;
  }

  async #follow(): Promise<void> {
    const { urls, transport } = this.options;
    const open = transport === 'websocket' ? openSocket : openStream;
    for (let n = 0; !this.#isStopped; n++) {
      this.#connection = open(urls[n % urls.length] ?? '', this.options, this.position, (data) => this.#take(data));
      const reason = await this.#connection.ended;
      if (this.#hasStopped()) return;
      if (isFatal(reason)) return this.#giveUp(reason);
      this.reconnects++;
      // Pause like real clients, so that an unavailable server is not flooded.
      await new Promise((resolve) => setTimeout(resolve, 20 + 80 * Math.random()));
    }
  }

  /** Read again after each await: it may be stopped meanwhile. */
  #hasStopped(): boolean {
    return this.#isStopped;
  }

  #take(data: object): void {
    const [value] = Object.values(data) as [never];
    this.received.push(JSON.stringify(value));
    const position = this.#events.place(value) ?? this.position ?? 0;
    this.position = position;
    this.#tell(({ seq }) => seq <= position);
    if (!this.#events.isLast(value)) return;
    this.#isStopped = true;
    this.cut();
  }

  #giveUp(reason: unknown): void {
    this.failure = new Error(`${this.options.name} gave up after ${this.position}: ${inWords(reason)}`);
    this.#tell(() => true);
  }

  #tell(isOver: (waiting: { seq: number }) => boolean): void {
    const over = this.#waiting.filter(isOver);
    this.#waiting = this.#waiting.filter((waiting) => !isOver(waiting));
    for (const { resolve } of over) resolve();
  }
}

type Open = (url: string, options: FollowerOptions, after: number | null, take: (data: object) => void) => Connection;

const openSocket: Open = (url, { query, variables, headers = {}, pingMs = 0 }, after, take) => {
  let socket: WebSocket | undefined;
  let silence: NodeJS.Timeout | undefined;
  const cut = () => socket?.terminate();
  const client = createSocketClient({
    url: url.replace('http', 'ws'),
    webSocketImpl: class extends WebSocket {
      constructor(address: string, protocol: string) {
        super(address, protocol, {
          perMessageDeflate: false,
          headers,
          ...(pingMs > 0 && { handshakeTimeout: pingMs }),
        });
        // oxlint-disable-next-line typescript/no-this-alias -- `cut` must also reach a socket before it opens
        socket = this;
      }
    },
    // With retries, it would request the last event again.
    retryAttempts: 0,
    keepAlive: pingMs,
    connectionAckWaitTimeout: pingMs,
    on: {
      ping: (isFromServer) => {
        if (!isFromServer) silence = setTimeout(cut, pingMs);
      },
      pong: () => clearTimeout(silence),
    },
  });
  const ended = untilItEnds((sink) => client.subscribe({ query, variables: { ...variables, after } }, sink), take);
  return {
    cut,
    ended: ended.finally(() => {
      clearTimeout(silence);
      void client.dispose();
    }),
  };
};

const openStream: Open = (url, { query, variables, headers = {} }, after, take) => {
  const network = new AbortController();
  const client = createStreamClient({
    url,
    headers,
    retryAttempts: 0,
    fetchFn: (input: string, init: RequestInit & { signal: AbortSignal }) =>
      fetch(input, { ...init, signal: AbortSignal.any([network.signal, init.signal]) }),
  });
  const ended = untilItEnds((sink) => client.subscribe({ query, variables: { ...variables, after } }, sink), take);
  return { cut: () => network.abort(new Error('the network was cut')), ended: ended.finally(() => client.dispose()) };
};

interface Sink {
  next(result: { data?: unknown; errors?: unknown }): void;
  error(reason: unknown): void;
  complete(): void;
}

/** Reads results until the subscription ends. Settles with the reason. */
function untilItEnds(subscribe: (sink: Sink) => unknown, take: (data: object) => void): Promise<unknown> {
  return new Promise((resolve) => {
    let isOver = false;
    const end = (reason: unknown) => {
      isOver = true;
      resolve(reason);
    };
    subscribe({
      next({ data, errors }) {
        if (isOver) return;
        if (errors !== undefined) end(errors);
        else take(data as object);
      },
      error: end,
      complete: () => end(new Error('it was completed')),
    });
  });
}

function isFatal(reason: unknown): boolean {
  const codes = (Array.isArray(reason) ? (reason as unknown[]) : []).map(
    (error) => (error as { extensions?: { code?: string } }).extensions?.code ?? '',
  );
  const { code } = reason as { code?: unknown };
  return codes.some((name) => FATAL.includes(name)) || (typeof code === 'number' && FATAL_CLOSE.includes(code));
}

function inWords(reason: unknown): string {
  return reason instanceof Error ? reason.message : JSON.stringify(reason);
}
