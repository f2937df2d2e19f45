/**
 * Limits how many jobs run concurrently, in all and for each user, with a FairQueue for the others. p-limit serves where
 * neither users nor cancellation matter.
 */
import { FairQueue, SERVER, type Caller } from './fair-queue.js';

export interface FairLimiterOptions {
  concurrency: number;
  /** Jobs of one user that run at the same time; the server's own are not limited by it. @default concurrency */
  perUser?: number;
  /** Whether a turn of the event loop lies between a job and the job that takes its place. @default false */
  yieldsBetween?: boolean;
}

export class FairLimiter {
  #running = 0;
  readonly #runningOf = new Map<string, number>();
  readonly #waiting = new FairQueue<() => void>();

  constructor(private readonly options: FairLimiterOptions) {}

  /** The limit of running jobs, and the numbers of running and of waiting jobs. */
  get load(): { size: number; used: number; waiting: number } {
    return { size: this.options.concurrency, used: this.#running, waiting: this.#waiting.size };
  }

  /**
   * Runs a job as soon as the limits permit.
   * @throws the reason of the caller's signal when that is aborted before the job starts
   */
  async run<Args extends unknown[], T>(
    caller: Caller = SERVER,
    job: (...args: Args) => Promise<T>,
    ...args: Args
  ): Promise<T> {
    await this.#enter(caller);
    try {
      return await job(...args);
    } finally {
      if (this.options.yieldsBetween === true) setImmediate(this.#end, caller.userId);
      else this.#end(caller.userId);
    }
  }

  /**
   * Acquires a slot.
   * @returns the function that releases it
   * @throws as `run` does
   */
  async begin(caller: Caller = SERVER): Promise<() => void> {
    await this.#enter(caller);
    return () => this.#end(caller.userId);
  }

  #enter({ userId, signal }: Caller): Promise<void> | undefined {
    signal?.throwIfAborted();
    if (this.#mayBegin(userId)) {
      this.#count(userId, 1);
      return undefined;
    }
    return new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.remove(userId, (each) => each === begin);
        reject(signal?.reason as Error);
      };
      const begin = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting.add(userId, begin);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  readonly #end = (userId: string): void => {
    this.#count(userId, -1);
    if (this.#waiting.size === 0) return;
    const next = this.#waiting.next(this.#mayBegin);
    if (next === null) return;
    this.#count(next.userId, 1);
    next.item();
  };

  readonly #mayBegin = (userId: string): boolean => {
    const { concurrency, perUser = concurrency } = this.options;
    if (this.#running >= concurrency) return false;
    return userId === SERVER.userId || (this.#runningOf.get(userId) ?? 0) < perUser;
  };

  #count(userId: string, change: 1 | -1): void {
    this.#running += change;
    const running = (this.#runningOf.get(userId) ?? 0) + change;
    if (running === 0) this.#runningOf.delete(userId);
    else this.#runningOf.set(userId, running);
  }
}
