/** `@parley/client/outbox`: messages that were sent offline survive a reload, and are sent once. */
import { IndexedDbStorage } from './indexed-db-storage.js';
import { StoredOutbox, type OutboxOptions, type OutboxStorage } from './stored-outbox.js';

export type { Outbox, SentMessage } from '../store/outbox.js';
export type { OutboxOptions, OutboxStorage, StoredOutbox };

export interface Account {
  /** The `url` of `createParley`. */
  url: string;
  /** The id of the signed-in user: another user of the browser never sends these messages. */
  userId: string;
}

/**
 * Keeps messages in IndexedDB, in a database of this server and user that all tabs share. Pass it to stores as the
 * option `outbox`, and call `clear()` when the user signs out. Without IndexedDB, or beyond its quota, messages are
 * kept in memory and `onError` is called.
 */
export function indexedDbOutbox({ url, userId, ...options }: Account & OutboxOptions): StoredOutbox {
  return new StoredOutbox(new IndexedDbStorage(`parley-outbox ${JSON.stringify([url, userId])}`), options);
}

/** Keeps messages in your own storage, which must be specific to one server and user. */
export function createOutbox(storage: OutboxStorage, options?: OutboxOptions): StoredOutbox {
  return new StoredOutbox(storage, options);
}
