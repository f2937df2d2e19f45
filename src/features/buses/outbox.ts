/** The send queue of a bus: one send at a time; wakes of the same chat, part, token or user are merged into one. */
import type { AnyWake } from '../../events/bus.js';

/** Maximum number of waiting wakes. The oldest are dropped: a sweep finds them. */
const CAPACITY = 10_000;

/** Sends payloads to a server. Settles when the server has received them. */
export type Send = (payloads: readonly string[]) => Promise<unknown>;

export function createOutbox(capacity = CAPACITY) {
  const waiting = new Map<string, AnyWake>();
  let send: Send | undefined;
  let isSending = false;

  const sendAll = async (): Promise<void> => {
    if (isSending) return;
    isSending = true;
    while (send !== undefined && waiting.size > 0) {
      const payloads = [...waiting.values()].map((wake) => JSON.stringify(payloadOf(wake)));
      waiting.clear();
      try {
        await send(payloads);
      } catch {
        // The payload is dropped: if it caused the failure, a retry would fail too.
      }
    }
    isSending = false;
  };

  return {
    /** Queues a wake. Never throws. */
    put(wake: AnyWake): void {
      const key = keyOf(wake);
      waiting.set(key, newest(wake, waiting.get(key)));
      const [oldest] = waiting.keys();
      if (waiting.size > capacity && oldest !== undefined) waiting.delete(oldest);
      void sendAll();
    },
    /** Uses a connection from now on, and sends the waiting wakes. */
    open(newSend: Send): void {
      send = newSend;
      void sendAll();
    },
    /** The connection is lost. Waiting wakes stay queued. */
    shut: () => void (send = undefined),
    /** The number of waiting wakes. */
    get size(): number {
      return waiting.size;
    },
  };
}

function keyOf(wake: AnyWake): string {
  if ('noticeId' in wake) return JSON.stringify([wake.noticeId]);
  if ('erasedUserId' in wake) return JSON.stringify([null, wake.erasedUserId]);
  return 'partId' in wake ? JSON.stringify([wake.chatId, wake.partId]) : wake.chatId;
}

/** Merges two wakes: a reader that loads a part also reads its length. */
function newest(wake: AnyWake, before: AnyWake | undefined): AnyWake {
  if (before === undefined) return wake;
  if ('version' in wake && 'version' in before) return wake.version > before.version ? wake : before;
  if ('partId' in wake && 'partId' in before)
    return (wake.length ?? Infinity) > (before.length ?? Infinity) ? wake : before;
  return wake;
}

/** Servers of older versions ignore payloads of a form that they do not know. */
function payloadOf(wake: AnyWake): unknown[] {
  if ('noticeId' in wake) return [null, wake.noticeId];
  if ('erasedUserId' in wake) return [null, null, wake.erasedUserId];
  return 'partId' in wake ? [wake.chatId, wake.partId, wake.length] : [wake.chatId, wake.version];
}

/** The wake in a payload; undefined for a payload of another program on the channel. */
export function wakeOf(payload: string): AnyWake | undefined {
  try {
    const value: unknown = JSON.parse(payload);
    if (!Array.isArray(value)) return undefined;
    const [chatId, ...rest] = value as unknown[];
    const last = rest.at(-1);
    if (chatId === null && rest.length === 1 && typeof last === 'string') return { noticeId: last };
    if (chatId === null && rest.length === 2 && rest[0] === null && typeof last === 'string')
      return { erasedUserId: last };
    if (typeof chatId !== 'string') return undefined;
    if (rest.length === 1 && Number.isSafeInteger(last)) return { chatId, version: last as number };
    const [partId] = rest;
    const isLength = last === null || Number.isSafeInteger(last);
    if (rest.length !== 2 || typeof partId !== 'string' || !isLength) return undefined;
    return { chatId, partId, length: last as number | null };
  } catch {
    return undefined;
  }
}
