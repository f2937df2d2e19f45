/** Elements that are promised at once; of a longer list, the executor takes one after the other. */
const MAX_PROMISES = 10_000;

/** Schedules the loaders of an operation: as DataLoader does by default, except while a long list is completed in turns. */
export class LoadSchedule {
  #holders = 0;
  readonly #held: (() => void)[] = [];

  /** @param load loads a batch */
  readonly batch = (load: () => void): void => {
    if (this.#holders > 0) this.#held.push(load);
    else soon(load);
  };

  /**
   * Lets the executor complete a list in turns. Loads of its elements wait for the last one, so that they share batches.
   * @param inTurn returns an element, or a promise of it, when it may be completed
   */
  completeInTurns<T>(list: readonly T[], inTurn: (element: T) => unknown): readonly unknown[] | AsyncIterable<unknown> {
    this.#holders++;
    if (list.length > MAX_PROMISES) return this.#oneByOne(list, inTurn);
    const elements = list.map(inTurn);
    // The executor completes the last element in the same turn.
    void Promise.resolve(elements.at(-1)).then(() => setImmediate(() => this.#release()));
    return elements;
  }

  async *#oneByOne<T>(list: readonly T[], inTurn: (element: T) => unknown): AsyncGenerator<unknown> {
    try {
      for (const element of list) {
        const completed: unknown = await inTurn(element);
        if (completed instanceof Error) throw completed;
        yield completed;
      }
    } finally {
      this.#release();
    }
  }

  #release(): void {
    this.#holders--;
    if (this.#holders > 0) return;
    for (const load of this.#held.splice(0)) soon(load);
  }
}

/** Runs a load after the microtasks of the current resolution. */
function soon(load: () => void): void {
  void Promise.resolve().then(() => process.nextTick(load));
}
