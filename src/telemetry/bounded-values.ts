/**
 * Bounds the values of a label that clients choose, because each value is a time series in a metrics server. The first
 * values are kept; later ones share one.
 */
export class BoundedValues {
  static readonly other = 'other';
  readonly #kept = new Set<string>();

  constructor(
    private readonly limit: number,
    private readonly maxLength = 100,
  ) {}

  /** The label of a value, which is kept while there is space. */
  keep(value: string): string {
    if (!this.#kept.has(value) && this.#kept.size < this.limit && value.length <= this.maxLength) this.#kept.add(value);
    return this.known(value);
  }

  /** The label of a value, if it was kept before. */
  known(value: string): string {
    return this.#kept.has(value) ? value : BoundedValues.other;
  }
}
