/** Whether contents can be stored: logs the first failure and its end, and shows the problem to readiness. */
import { throttledLog } from '../../limits/throttled-log.js';
import { FileStorageError, type FileStorage } from '../../files/file-storage.js';

export class StorageHealth {
  #problem: string | null = null;
  #storage: FileStorage | null = null;
  #trial: Promise<void> | null = null;
  readonly #noted = new WeakSet<object>();
  readonly #logFailure: (line: string) => boolean;

  constructor(private readonly log: (line: string) => void) {
    this.#logFailure = throttledLog(log);
  }

  /** The same storage, whose writes are noted. */
  watch(storage: FileStorage): FileStorage {
    const { arrivalFailure } = storage;
    this.#storage = storage;
    return {
      ...storage,
      put: async (...content) => {
        await this.noting(() => storage.put(...content));
        this.#end();
      },
      ...(arrivalFailure && { arrivalFailure: (error) => this.note(arrivalFailure(error)) }),
    };
  }

  /** Why contents cannot be stored, as far as known; null while they can. */
  get problem(): string | null {
    // Not awaited, because a storage can hang: the next health check gets the result.
    if (this.#problem !== null) this.#trial ??= this.#try().finally(() => (this.#trial = null));
    return this.#problem;
  }

  /** Runs an action that stores contents. */
  async noting<T>(work: () => Promise<T>): Promise<T> {
    return work().catch((error: unknown) => {
      throw this.note(error);
    });
  }

  /** @returns the error */
  note<E>(error: E): E {
    if (!(error instanceof FileStorageError) || error.summary === null || this.#noted.has(error)) return error;
    // The storage itself can be used.
    if (error.fault === 'TEMPORARY') return error;
    this.#noted.add(error);
    this.#problem = error.summary;
    this.#logFailure(`Files cannot be stored: ${error.message}`);
    return error;
  }

  /** Logs a failure that was not noted, such as that of a read, at most once a minute. */
  report(error: FileStorageError): void {
    if (!this.#noted.has(error)) this.#logFailure(error.message);
  }

  async #try(): Promise<void> {
    await this.#storage?.tryPut?.().then(
      () => this.#end(),
      () => {},
    );
  }

  #end(): void {
    if (this.#problem !== null) this.log('Files can be stored again');
    this.#problem = null;
  }
}
