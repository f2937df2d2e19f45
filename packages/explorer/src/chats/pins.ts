/** Pinned chats, kept in this browser. */
import { useSyncExternalStore } from 'react';
import { readStored, writeStored } from '../stored.js';

const KEY = 'parley-pins';
const MAX_PINS = 100;

let pins = read();
const listeners = new Set<() => void>();

function read(): ReadonlySet<string> {
  const stored = readStored(KEY);
  return new Set(Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : []);
}

/** Pins a chat, or removes its pin. */
export function togglePin(chatId: string): void {
  const others = [...pins].filter((id) => id !== chatId);
  pins = new Set(pins.has(chatId) ? others : [chatId, ...others].slice(0, MAX_PINS));
  writeStored(KEY, [...pins]);
  listeners.forEach((listener) => listener());
}

export function usePins(): ReadonlySet<string> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => pins,
  );
}
