import DataLoader from 'dataloader';
import type { LoadSchedule } from './load-schedule.js';

/** Maximum number of keys of a batch: its consequences run in one turn of the event loop. */
const MAX_BATCH = 2_000;

/** @param page the same for all keys of a batch */
export type Read<K, T, P = void> = (keys: readonly K[], page: P) => Promise<T[]>;

export interface LoaderOptions<K> {
  /** Equal keys are one; by default each key is its own. */
  keyOf?: (key: K) => string;
  maxBatch?: number;
}

/** A DataLoader for each page request: fields with equal arguments are loaded together. */
export class Loader<K, T, P = void> {
  readonly #byPage = new Map<string | undefined, DataLoader<K, T, unknown>>();

  constructor(
    private readonly schedule: LoadSchedule,
    private readonly read: Read<K, T, P>,
    private readonly options: LoaderOptions<K> = {},
  ) {}

  load(key: K, page: P): Promise<T> {
    return this.#of(page).load(key);
  }

  prime(this: Loader<K, T>, key: K, value: T): void {
    this.#of().prime(key, value);
  }

  #of(page: P): DataLoader<K, T, unknown> {
    const name = JSON.stringify(page) as string | undefined;
    let loader = this.#byPage.get(name);
    if (loader === undefined) {
      const { keyOf, maxBatch = MAX_BATCH } = this.options;
      loader = new DataLoader<K, T, unknown>(
        async (keys) => this.schedule.deliver(await this.read(keys, page)) as ArrayLike<T>,
        { batchScheduleFn: this.schedule.batch, maxBatchSize: maxBatch, ...(keyOf && { cacheKeyFn: keyOf }) },
      );
      this.#byPage.set(name, loader);
    }
    return loader;
  }
}
