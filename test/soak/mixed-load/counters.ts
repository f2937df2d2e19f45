/** Maximum descriptions per minute: one fault causes many failures. */
const MAX_FAILURES = 20;

/** Counts the events of a run, and describes its failures. */
export class Counters {
  operations = 0;
  attacks = 0;
  events = 0;
  faults = 0;
  /** Failures during an injected fault. */
  excused = 0;
  unexpected = 0;
  gaps = 0;
  readonly #failures: string[] = [];

  noteUnexpected(failure: string): void {
    this.unexpected++;
    this.#describe(failure);
  }

  noteGap(gap: string): void {
    this.gaps++;
    this.#describe(`gap: ${gap}`);
  }

  /** Returns and removes the descriptions since the last call. */
  takeFailures(): string[] {
    return this.#failures.splice(0);
  }

  #describe(failure: string): void {
    if (this.#failures.length < MAX_FAILURES) this.#failures.push(failure);
  }
}
