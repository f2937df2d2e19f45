/**
 * Values of a label, when clients choose them: each one is a time series that a metrics server keeps, so there are only so
 * many. The first ones have their own, and all that come later share one.
 */
export class BoundedValues {
  static readonly other = 'other';
  readonly #kept = new Set<string>();

  constructor(
    private readonly limit: number,
    private readonly maxLength = 100,
  ) {}

  /** The value to count under; it is kept while there is room. */
  keep(value: string): string {
    if (!this.#kept.has(value) && this.#kept.size < this.limit && value.length <= this.maxLength) this.#kept.add(value);
    return this.known(value);
  }

  /** The value to count under, if it has been kept before. */
  known(value: string): string {
    return this.#kept.has(value) ? value : BoundedValues.other;
  }
}
