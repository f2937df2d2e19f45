import { isAfter, placeOf, type Following, type StreamPosition } from './following.js';

/** A source of items in this process, and the streams that wait for its next item. */
export class Subscribable {
  /** Why no subscriber can continue; null while they can. */
  loss: Error | null = null;
  followers = 0;
  /** How often the source has notified its streams. */
  notifications = 0;
  /** Called at the next notification. */
  readonly waiting = new Set<() => void>();

  /** @param position the position of the newest item */
  constructor(public position = 0) {}

  /** The place of the newest item. */
  get place(): StreamPosition {
    return { position: this.position, mark: 0 };
  }

  lose(error: Error): void {
    this.loss = error;
    this.notify();
  }

  /** Wakes the waiting streams. */
  notify(): void {
    this.notifications++;
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const wake of waiting) wake();
  }
}

/** An item for a subscriber, and its place afterwards. */
export interface StreamItem<T> {
  readonly value: T;
  readonly place: Partial<StreamPosition>;
}

/**
 * The items of a source after a place, one by one, then new ones as they come. A failure ends the stream.
 *
 * Not a generator: return() of a waiting generator would wait too.
 */
export abstract class Stream<T, Source extends Subscribable> implements AsyncIterableIterator<T> {
  #isDone = false;
  #wake: (() => void) | null = null;

  /** @param release called once, when the stream ends */
  constructor(
    protected readonly source: Source,
    readonly following: Following,
    private readonly release: () => void,
  ) {}

  /** Returns the next item; undefined when there is none yet, null at the end. */
  protected abstract take(): StreamItem<T> | undefined | null | Promise<StreamItem<T> | undefined | null>;

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    const { source, following } = this;
    try {
      while (!this.#isComplete()) {
        if (source.loss !== null) throw source.loss;
        const { notifications } = source;
        const step = await this.take();
        if (step === null || this.#isDone) break;
        if (step !== undefined) {
          Object.assign(following, step.place);
          return { done: false, value: step.value };
        }
        // A notification during take() may concern the missing item.
        if (notifications !== source.notifications || this.#isComplete()) continue;
        await new Promise<void>((resolve) => source.waiting.add((this.#wake = resolve)));
      }
    } catch (error) {
      await this.return();
      throw error;
    }
    return this.return();
  }

  return(): Promise<IteratorResult<T, undefined>> {
    if (!this.#isDone) {
      this.#isDone = true;
      if (this.#wake !== null) this.source.waiting.delete(this.#wake);
      this.#wake?.();
      this.release();
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  #isComplete(): boolean {
    const { until, isOver } = this.following;
    if (this.#isDone || isOver) return true;
    return until !== undefined && !isAfter(until() ?? this.source.place, placeOf(this.following));
  }
}
