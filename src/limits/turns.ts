import { FairQueue, SERVER, type Caller } from './fair-queue.js';

export interface TurnsOptions {
  /** How many run at the same time. */
  atOnce: number;
  /** How many of them may be one user's. @default all */
  ofAUser?: number;
}

/** Lets a few jobs run at the same time, and users have their turns: see FairQueue. */
export class Turns {
  #running = 0;
  readonly #runningOf = new Map<string, number>();
  readonly #waiting = new FairQueue<() => void>();

  constructor(private readonly options: TurnsOptions) {}

  /** How many jobs may run, how many run, and how many wait. */
  get load(): { size: number; used: number; waiting: number } {
    return { size: this.options.atOnce, used: this.#running, waiting: this.#waiting.size };
  }

  /**
   * Runs a job when it is the caller's turn.
   * @throws the reason of the caller's signal when that is aborted before
   */
  async run<T>(caller: Caller | undefined, job: () => Promise<T>): Promise<T> {
    const end = await this.begin(caller);
    try {
      return await job();
    } finally {
      end();
    }
  }

  /**
   * Settles when it is the caller's turn, with what ends it.
   * @throws as `run` does
   */
  async begin({ userId, signal }: Caller = SERVER): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#mayBegin(userId)) this.#count(userId, 1);
    else await this.#turn(userId, signal);
    return () => this.#end(userId);
  }

  #turn(userId: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.remove(userId, begin);
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

  #end(userId: string): void {
    this.#count(userId, -1);
    const next = this.#waiting.next((waiting) => this.#mayBegin(waiting));
    if (next === null) return;
    this.#count(next.userId, 1);
    next.item();
  }

  #mayBegin(userId: string): boolean {
    const { atOnce, ofAUser = atOnce } = this.options;
    if (this.#running >= atOnce) return false;
    return userId === SERVER.userId || (this.#runningOf.get(userId) ?? 0) < ofAUser;
  }

  #count(userId: string, change: 1 | -1): void {
    this.#running += change;
    const running = (this.#runningOf.get(userId) ?? 0) + change;
    if (running === 0) this.#runningOf.delete(userId);
    else this.#runningOf.set(userId, running);
  }
}
