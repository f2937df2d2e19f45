/** The newest entries of an otherwise unbounded set. */
const CAPACITY = 10_000;

export class Recent<Value> {
  readonly #values = new Map<string, Value>();

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > CAPACITY && oldest !== undefined) this.#values.delete(oldest);
  }
}
