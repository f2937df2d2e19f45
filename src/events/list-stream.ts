import type { Following } from './log-stream.js';
import type { ListChange, RecentChats } from './recent-chats.js';

/**
 * The changes of a list of chats behind a number, one after the other, and then as they are learned of. It keeps none of
 * them: of a chat that has changed twice before it was told, the newer change is told.
 *
 * Not a generator: return() of one that waits would wait, too.
 */
export class ListStream implements AsyncIterableIterator<ListChange> {
  #isDone = false;
  #loss: Error | null = null;
  #wake: (() => void) | null = null;

  /**
   * @param userId whose chats; null for everyone's
   * @param release called once, when nothing more will be asked for
   */
  constructor(
    private readonly recent: RecentChats,
    private readonly following: Following,
    readonly userId: string | null,
    private readonly release: (stream: ListStream) => void,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** There is a change for it. */
  tell(number: number): void {
    if (this.#wake === null) return;
    // What came since it has looked was for others, and may have been forgotten.
    this.following.position = Math.max(this.following.position, number - 1);
    this.#goOn();
  }

  /** Has it fail. */
  lose(error: Error): void {
    this.#loss = error;
    this.#goOn();
  }

  async next(): Promise<IteratorResult<ListChange, undefined>> {
    const { recent, following } = this;
    try {
      while (!this.#isDone && !this.#isFarEnough()) {
        if (this.#loss !== null) throw this.#loss;
        const change = recent.next(following.position, this.userId);
        following.position = change?.number ?? recent.position;
        if (change !== null) return { done: false, value: change };
        if (!this.#isFarEnough()) await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } catch (error) {
      await this.return();
      throw error;
    }
    return this.return();
  }

  return(): Promise<IteratorResult<ListChange, undefined>> {
    if (!this.#isDone) {
      this.#isDone = true;
      this.#goOn();
      this.release(this);
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  #isFarEnough(): boolean {
    const { until, position } = this.following;
    return until !== undefined && position >= (until() ?? this.recent.position);
  }

  #goOn(): void {
    this.#wake?.();
    this.#wake = null;
  }
}
