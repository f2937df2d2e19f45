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
    if (this.#kept.has(value)) return value;
    if (this.#kept.size >= this.limit || value.length > this.maxLength) return BoundedValues.other;
    this.#kept.add(value);
    return value;
  }

  /** The label of a value, if it was kept before. */
  known(value: string): string {
    return this.#kept.has(value) ? value : BoundedValues.other;
  }
}
