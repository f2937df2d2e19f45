/** Pinned chats, kept in this browser. */
import { SharedValue } from '../browser/shared-value.js';
import { readStored, writeStored } from '../browser/stored.js';

const KEY = 'parley-pins';
const MAX_PINS = 100;

const pins = new SharedValue(read());

function read(): ReadonlySet<string> {
  const stored = readStored(KEY);
  return new Set(Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : []);
}

/** Pins a chat, or removes its pin. */
export function togglePin(chatId: string): void {
  const others = [...pins.get()].filter((id) => id !== chatId);
  const next = pins.get().has(chatId) ? others : [chatId, ...others].slice(0, MAX_PINS);
  writeStored(KEY, next);
  pins.set(new Set(next));
}

export const usePins = pins.use;
