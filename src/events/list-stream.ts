import type { Following } from './log-stream.js';
import type { ListChange, ListChanges } from './list-changes.js';

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
   * @param release called once, when nothing more will be asked for
   */
  constructor(
    private readonly changes: ListChanges,
    private readonly following: Following,
    private readonly release: (stream: ListStream) => void,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** There is a change for it. */
  tell(): void {
    this.#goOn();
  }

  /** Has it fail. */
  lose(error: Error): void {
    this.#loss = error;
    this.#goOn();
  }

  async next(): Promise<IteratorResult<ListChange, undefined>> {
    const { changes, following } = this;
    try {
      while (!this.#isDone && !this.#isFarEnough()) {
        if (this.#loss !== null) throw this.#loss;
        const change = changes.next(following.position);
        following.position = change?.number ?? changes.position;
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
    return until !== undefined && position >= (until()?.position ?? this.changes.position);
  }

  #goOn(): void {
    this.#wake?.();
    this.#wake = null;
  }
}
