import { useSyncExternalStore } from 'react';

/** A value outside of the components: those that use it render again after each change. */
export class SharedValue<Value> {
  readonly #listeners = new Set<() => void>();

  constructor(private value: Value) {}

  get = (): Value => this.value;

  set = (value: Value): void => {
    this.value = value;
    for (const listener of [...this.#listeners]) listener();
  };

  use = (): Value => useSyncExternalStore(this.#follow, this.get);

  readonly #follow = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}
