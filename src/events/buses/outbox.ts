/** What a bus has yet to send: at most one send is under way, and what comes meanwhile is one wake a chat or draft. */
import type { DraftWake, Wake } from '../bus.js';

/** How many chats and drafts may wait. The oldest give way: a sweep finds them. */
const CAPACITY = 10_000;

/** Hands payloads to a server. Settles when it has them. */
export type Send = (payloads: readonly string[]) => Promise<unknown>;

export interface Outbox {
  /** Sends it as soon as may be. Never throws. */
  put(wake: Wake | DraftWake): void;
  /** From now on there is a connection: what waits is sent with it. */
  open(send: Send): void;
  /** There is none any more. What waits goes on waiting. */
  shut(): void;
  /** How many chats and drafts wait. */
  readonly size: number;
}

export function createOutbox(capacity = CAPACITY): Outbox {
  const waiting = new Map<string, Wake | DraftWake>();
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
        // What it carried is lost, as it may be: if it was the reason, it would fail again and again.
      }
    }
    isSending = false;
  };

  return {
    put(wake) {
      const key = 'draftId' in wake ? JSON.stringify([wake.chatId, wake.draftId]) : wake.chatId;
      waiting.set(key, newest(wake, waiting.get(key)));
      const [oldest] = waiting.keys();
      if (waiting.size > capacity && oldest !== undefined) waiting.delete(oldest);
      void sendAll();
    },
    open(newSend) {
      send = newSend;
      void sendAll();
    },
    shut: () => void (send = undefined),
    get size() {
      return waiting.size;
    },
  };
}

/** What tells of both: who is to look at a draft sees its length, too. */
function newest(wake: Wake | DraftWake, before: Wake | DraftWake | undefined): Wake | DraftWake {
  if (before === undefined) return wake;
  if ('version' in wake && 'version' in before) return wake.version > before.version ? wake : before;
  if ('draftId' in wake && 'draftId' in before)
    return (wake.length ?? Infinity) > (before.length ?? Infinity) ? wake : before;
  return wake;
}

function payloadOf(wake: Wake | DraftWake): unknown[] {
  return 'draftId' in wake ? [wake.chatId, wake.draftId, wake.length] : [wake.chatId, wake.version];
}

/** The wake in a payload; undefined in one that no outbox has made: channels are open to others. */
export function wakeOf(payload: string): Wake | DraftWake | undefined {
  try {
    const value: unknown = JSON.parse(payload);
    if (!Array.isArray(value)) return undefined;
    const [chatId, ...rest] = value as unknown[];
    const last = rest.at(-1);
    if (typeof chatId !== 'string') return undefined;
    if (rest.length === 1 && Number.isSafeInteger(last)) return { chatId, version: last as number };
    const [draftId] = rest;
    const isLength = last === null || Number.isSafeInteger(last);
    if (rest.length !== 2 || typeof draftId !== 'string' || !isLength) return undefined;
    return { chatId, draftId, length: last as number | null };
  } catch {
    return undefined;
  }
}
