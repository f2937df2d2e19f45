/** A bus on a connection that comes and goes: what is the same for every server that carries wakes. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, BusListener } from '../bus.js';
import { createOutbox, wakeOf, type Send } from './outbox.js';

/** How long to wait before the first attempt to reconnect, and at most before each later one, in milliseconds. */
const FIRST_DELAY_MS = 100;
const LAST_DELAY_MS = 5_000;

/** One connection, from the attempt to its end. */
export interface BusConnection {
  /** Settles when the connection hears what is published. Rejects when it does not come about. */
  readonly listening: Promise<unknown>;
  readonly send: Send;
  /** A sign of life of the server, on every way that a wake takes. */
  ping(): Promise<unknown>;
  /** Cuts it off, in whatever state it is; all that waits on it rejects. Settles when nothing of it is left. */
  destroy(): Promise<unknown>;
}

/** Whom a connection tells. Nothing may be told before `connect` has returned. */
export interface ConnectionEvents {
  onPayload(payload: string): void;
  /** It has ended, or is of no use. May be told again. */
  onLost(reason: unknown): void;
}

/** How soon a server that swallows what it is sent is noticed. */
export interface Pace {
  /** Between signs of life, in milliseconds. @default 5000 */
  heartbeatMs?: number;
  /** How long any answer may take, in milliseconds. @default 4000 */
  timeoutMs?: number;
}

/**
 * Connects in the background, and again whenever the connection is lost, until it is closed.
 * @param server its name in the log
 * @param connect begins a connection; answers may take it `timeoutMs`
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

  /** Holds one connection as long as it lasts. @returns why it does not any more */
  const session = async (): Promise<unknown> => {
    const end = new AbortController();
    const { signal } = end;
    const onLost = (reason: unknown) => end.abort(reason);
    let gone: Promise<unknown> | undefined;
    closing.signal.addEventListener('abort', onLost);
    try {
      const connection = connect({ onPayload, onLost }, timeoutMs);
      signal.addEventListener('abort', () => {
        isConnected = false;
        // At once, so that nothing more is sent into the void.
        outbox.shut();
        gone = connection.destroy();
      });
      await inTime(connection.listening);
      signal.throwIfAborted();
      connected();
      outbox.open((payloads) => inTime(connection.send(payloads)).catch(onLost));
      while (true) {
        await sleep(heartbeatMs, undefined, { ref: false, signal });
        await inTime(connection.ping());
        // Not before: a server that hangs up on everybody would be called ten times a second.
        delayMs = FIRST_DELAY_MS;
      }
    } catch (error) {
      // The first reason counts: what is waited for fails of every other.
      onLost(error);
    }
    await gone;
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
      if (!isOut) listener.log(`The bus on ${server} is not connected, and tries again: ${inWords(reason)}`);
      isOut = true;
      // Not all servers at the same moment.
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

/** In a line, without secrets: Redis repeats the arguments of a command that it does not know, as the password. */
function inWords(reason: unknown): string {
  const { message, code } = reason as NodeJS.ErrnoException;
  // Of several addresses that cannot be reached, Node tells the code alone.
  return (message || String(code)).split(/\n|, with args/)[0] ?? '';
}
