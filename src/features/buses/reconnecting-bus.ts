/** A bus that reconnects: the part that all servers of notifications share. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, BusListener } from '../../events/bus.js';
import { createOutbox, wakeOf, type Send } from './outbox.js';

/** Milliseconds before the first reconnect, and the maximum before later ones. */
const FIRST_DELAY_MS = 100;
const LAST_DELAY_MS = 5_000;

/** A connection, from the first attempt to its end. */
export interface BusConnection {
  /** Settles when the connection receives notifications. Rejects when it cannot be opened. */
  readonly listening: Promise<unknown>;
  readonly send: Send;
  /** Pings the server over every connection that a wake uses. */
  ping(): Promise<unknown>;
  /** Closes the connection in any state; pending calls reject. Settles when it is closed. */
  destroy(): Promise<unknown>;
}

/** Receives the events of a connection, after `connect` has returned. */
export interface ConnectionEvents {
  onPayload(payload: string): void;
  /** The connection has ended or failed. May be called repeatedly. */
  onLost(reason: unknown): void;
}

/** Limits for the detection of an unresponsive server. */
export interface Pace {
  /** Milliseconds between pings. @default 5000 */
  heartbeatMs?: number;
  /** The timeout of a response, in milliseconds. @default 4000 */
  timeoutMs?: number;
}

/**
 * Connects in the background, and again whenever the connection is lost, until it is closed.
 * @param server the name of the server in the log
 * @param connect starts a connection; `timeoutMs` is the timeout of a response
 */
export function reconnectingBus(
  server: string,
  connect: (events: ConnectionEvents, timeoutMs: number) => BusConnection,
  listener: BusListener,
  { heartbeatMs = 5_000, timeoutMs = 4_000 }: Pace = {},
): Bus {
  const closing = new AbortController();
  const isClosed = () => closing.signal.aborted;
  const outbox = createOutbox();
  let delayMs = FIRST_DELAY_MS;
  let isOut = false;
  let isConnected = false;

  const onPayload = (payload: string) => {
    const wake = isClosed() ? undefined : wakeOf(payload);
    if (wake !== undefined) listener.onWake(wake);
  };
  const connected = () => {
    isConnected = true;
    if (isOut) listener.log(`The bus on ${server} is connected`);
    isOut = false;
    listener.onConnected();
  };

  /** Uses one connection until its end. @returns the reason of the end */
  const session = async (): Promise<unknown> => {
    const end = new AbortController();
    const { signal } = end;
    const onLost = (reason: unknown) => end.abort(reason);
    let destroyed: Promise<unknown> | undefined;
    closing.signal.addEventListener('abort', onLost);
    try {
      const connection = connect({ onPayload, onLost }, timeoutMs);
      signal.addEventListener('abort', () => {
        isConnected = false;
        // At once, so that no wake is sent on a lost connection.
        outbox.shut();
        destroyed = connection.destroy();
      });
      await inTime(connection.listening);
      signal.throwIfAborted();
      connected();
      outbox.open((payloads) => inTime(connection.send(payloads)).catch(onLost));
      while (true) {
        await sleep(heartbeatMs, undefined, { ref: false, signal });
        await inTime(connection.ping());
        // After a ping: a server that closes every connection must not be called ten times a second.
        delayMs = FIRST_DELAY_MS;
      }
    } catch (error) {
      // Keep the first reason: pending calls fail with later ones.
      onLost(error);
    }
    await destroyed;
    closing.signal.removeEventListener('abort', onLost);
    return signal.reason;
  };

  /** @throws Error when there is no answer in time */
  const inTime = async <T>(answer: Promise<T>): Promise<T> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer for ${timeoutMs} ms`)), timeoutMs).unref();
    });
    return Promise.race([answer, late]).finally(() => clearTimeout(timer));
  };

  const run = async (): Promise<void> => {
    while (!isClosed()) {
      const reason = await session();
      if (isClosed()) return;
      if (!isOut) listener.log(`The bus on ${server} is disconnected and retries: ${inWords(reason)}`);
      isOut = true;
      // Random, so that processes do not reconnect at the same moment.
      const delay = delayMs * (0.5 + Math.random() / 2);
      await sleep(delay, undefined, { ref: false, signal: closing.signal }).catch(() => {});
      delayMs = Math.min(2 * delayMs, LAST_DELAY_MS);
    }
  };
  const running = run();

  return {
    get state() {
      return isConnected ? 'up' : 'down';
    },
    publish: (wake) => outbox.put(wake),
    async close() {
      closing.abort();
      await running;
    },
  };
}

/** One line without secrets: Redis repeats the arguments of an unknown command, such as the password. */
function inWords(reason: unknown): string {
  const { message, code } = reason as NodeJS.ErrnoException;
  // For a host with several unreachable addresses, Node returns only the code.
  return (message || String(code)).split(/\n|, with args/)[0] ?? '';
}
