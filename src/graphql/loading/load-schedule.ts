/** Elements that are promised at once; of a longer list, the executor takes one after the other. */
const MAX_PROMISES = 10_000;

/** Values of a batch that are delivered in a turn of the event loop: as many fields with aliases may wait for each. */
const DELIVERED_AT_ONCE = 100;

/** Schedules the loaders of an operation: as DataLoader does by default, except while a long list is completed in turns. */
export class LoadSchedule {
  #holders = 0;
  readonly #held: (() => void)[] = [];

  readonly batch = (load: () => void): void => {
    if (this.#holders > 0) this.#held.push(load);
    else soon(() => void (this.#holders > 0 ? this.#held.push(load) : load()));
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

  /** Completes a short list in its turn. Loads of its elements and of those of other lists in later turns share batches. */
  completeInTurn<T>(list: Promise<T>): Promise<T> {
    this.#holders++;
    void list.then(() => setImmediate(() => this.#release()));
    return list;
  }

  /** Delivers the values of a long batch in turns. Loads that follow wait for the last one, so that they share batches. */
  deliver<T>(values: readonly T[]): readonly (T | Promise<T>)[] {
    if (values.length <= DELIVERED_AT_ONCE) return values;
    this.#holders++;
    const turns: (() => void)[] = [];
    const next = () => {
      const turn = turns.shift();
      if (turn === undefined) return this.#release();
      turn();
      setImmediate(next);
    };
    setImmediate(next);
    let turn = Promise.resolve();
    return values.map((value, n) => {
      if (n < DELIVERED_AT_ONCE) return value;
      if (n % DELIVERED_AT_ONCE === 0) turn = new Promise((begin) => turns.push(begin));
      return turn.then(() => value);
    });
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
