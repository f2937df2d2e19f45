import DataLoader from 'dataloader';
import type { LoadSchedule } from './load-schedule.js';

/** Maximum number of keys of a batch: its consequences run in one turn of the event loop. */
const MAX_BATCH = 2_000;

export type Read<K, T> = (keys: readonly K[]) => Promise<T[]>;

export interface LoaderOptions<K> {
  /** Equal keys are one; by default each key is its own. */
  keyOf?: (key: K) => string;
  maxBatch?: number;
}

/** A DataLoader, created at the first load: an operation uses few of all loaders. */
export class Loader<K, T> {
  #loader: DataLoader<K, T, unknown> | undefined;

  constructor(
    private readonly schedule: LoadSchedule,
    private readonly read: Read<K, T>,
    private readonly options: LoaderOptions<K> = {},
  ) {}

  load(key: K): Promise<T> {
    return this.#used.load(key);
  }

  prime(key: K, value: T): void {
    this.#used.prime(key, value);
  }

  get #used(): DataLoader<K, T, unknown> {
    const { keyOf, maxBatch = MAX_BATCH } = this.options;
    return (this.#loader ??= new DataLoader<K, T, unknown>(
      async (keys) => this.schedule.deliver(await this.read(keys)) as ArrayLike<T>,
      {
        batchScheduleFn: this.schedule.batch,
        maxBatchSize: maxBatch,
        ...(keyOf && { cacheKeyFn: keyOf }),
      },
    ));
  }
}
