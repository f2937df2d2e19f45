/** What a bus has yet to send: at most one send is under way, and what comes meanwhile is one wake a chat. */
import type { Wake } from '../bus.js';

/** How many chats may wait. The oldest give way: a sweep finds them. */
const CAPACITY = 10_000;

/** Hands payloads to a server. Settles when it has them. */
export type Send = (payloads: readonly string[]) => Promise<unknown>;

export interface Outbox {
  /** Sends it as soon as may be. Never throws. */
  put(wake: Wake): void;
  /** From now on there is a connection: what waits is sent with it. */
  open(send: Send): void;
  /** There is none any more. What waits goes on waiting. */
  shut(): void;
  /** How many chats wait. */
  readonly size: number;
}

export function createOutbox(capacity = CAPACITY): Outbox {
  const waiting = new Map<string, number>();
  let send: Send | undefined;
  let isSending = false;

  const sendAll = async (): Promise<void> => {
    if (isSending) return;
    isSending = true;
    while (send !== undefined && waiting.size > 0) {
      const payloads = [...waiting].map((entry) => JSON.stringify(entry));
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
    put({ chatId, version }) {
      waiting.set(chatId, Math.max(version, waiting.get(chatId) ?? version));
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

/** The wake in a payload; undefined in one that no outbox has made: channels are open to others. */
export function wakeOf(payload: string): Wake | undefined {
  try {
    const value: unknown = JSON.parse(payload);
    if (!Array.isArray(value) || value.length !== 2) return undefined;
    const [chatId, version] = value as unknown[];
    if (typeof chatId !== 'string' || !Number.isSafeInteger(version)) return undefined;
    return { chatId, version: version as number };
  } catch {
    return undefined;
  }
}
