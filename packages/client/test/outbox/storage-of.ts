import type { SentMessage } from '../../src/client.js';
import type { OutboxStorage } from '../../src/outbox/outbox.js';

/** A custom storage that survives the pages of a test. */
export function storageOf(rows = new Map<string, string>()) {
  const storage: OutboxStorage = {
    put: async (message) => void rows.set(message.id, JSON.stringify(message)),
    remove: async (id) => void rows.delete(id),
    list: async () => [...rows.values()].map((row) => JSON.parse(row) as SentMessage),
    count: async () => rows.size,
    clear: async () => rows.clear(),
  };
  return { rows, storage };
}
