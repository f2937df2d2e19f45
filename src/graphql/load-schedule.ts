/** When the loaders of an operation load what they have been asked for: as DataLoader does by itself, unless that is held. */
export class LoadSchedule {
  #holders = 0;
  readonly #held: (() => void)[] = [];

  /** Nothing is loaded until it is released as often as it was held. */
  hold(): void {
    this.#holders++;
  }

  release(): void {
    this.#holders--;
    if (this.#holders > 0) return;
    for (const load of this.#held.splice(0)) soon(load);
  }

  /** @param load loads a batch */
  readonly batch = (load: () => void): void => {
    if (this.#holders > 0) this.#held.push(load);
    else soon(load);
  };
}

/** Behind everything that follows from what is resolved now. */
function soon(load: () => void): void {
  void Promise.resolve().then(() => process.nextTick(load));
}
