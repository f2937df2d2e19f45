/** Stores messages in IndexedDB, which the tabs of a user share. */
import type { SentMessage } from '../store/outbox.js';
import type { OutboxStorage } from './stored-outbox.js';

export class IndexedDbStorage implements OutboxStorage {
  #database: Promise<IDBDatabase> | undefined;

  constructor(private readonly name: string) {}

  async put(message: SentMessage): Promise<void> {
    const key = await this.#keyOf(message.id);
    await this.#run('readwrite', (store) => store.put(message, key));
  }

  async remove(id: string): Promise<void> {
    const key = await this.#keyOf(id);
    if (key !== undefined) await this.#run('readwrite', (store) => store.delete(key));
  }

  list(): Promise<readonly SentMessage[]> {
    return this.#run('readonly', (store) => store.getAll() as IDBRequest<SentMessage[]>);
  }

  count(): Promise<number> {
    return this.#run('readonly', (store) => store.count());
  }

  async clear(): Promise<void> {
    await this.#run('readwrite', (store) => store.clear());
  }

  #keyOf(id: string): Promise<IDBValidKey | undefined> {
    return this.#run('readonly', (store) => store.index('id').getKey(id));
  }

  async #run<Value>(mode: IDBTransactionMode, request: (store: IDBObjectStore) => IDBRequest<Value>): Promise<Value> {
    const transaction = (await this.#open()).transaction('messages', mode);
    const made = request(transaction.objectStore('messages'));
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(made.result);
      // The browser checks the quota at commit.
      transaction.onabort = () =>
        reject(transaction.error ?? new DOMException('The transaction was aborted', 'AbortError'));
    });
  }

  #open(): Promise<IDBDatabase> {
    return (this.#database ??= new Promise<IDBDatabase>((resolve, reject) => {
      // Keys are ascending: they give the order of the messages.
      const opening = indexedDB.open(this.name, 1);
      opening.onupgradeneeded = () =>
        opening.result.createObjectStore('messages', { autoIncrement: true }).createIndex('id', 'id', { unique: true });
      opening.onsuccess = () => {
        const forget = () => (this.#database = undefined);
        opening.result.onclose = forget;
        // Another page deletes the database.
        opening.result.onversionchange = () => {
          opening.result.close();
          forget();
        };
        resolve(opening.result);
      };
      opening.onerror = () => reject(opening.error ?? new DOMException('IndexedDB could not open the database'));
    }).catch((reason: unknown) => {
      this.#database = undefined;
      throw reason;
    }));
  }
}
