/** How many of each are kept in words: one fault makes many. */
const SHOWN = 20;

/** What went on, in numbers, and what should not have, in words. */
export class Ledger {
  operations = 0;
  attacks = 0;
  events = 0;
  faults = 0;
  /** Failures while something was broken on purpose. */
  excused = 0;
  unexpected = 0;
  gaps = 0;
  readonly #words: string[] = [];

  noteUnexpected(what: string): void {
    this.unexpected++;
    this.#tell(what);
  }

  noteGap(what: string): void {
    this.gaps++;
    this.#tell(`gap: ${what}`);
  }

  /** What was noted since it was asked last. */
  takeWords(): string[] {
    return this.#words.splice(0);
  }

  #tell(what: string): void {
    if (this.#words.length < SHOWN) this.#words.push(what);
  }
}
