/**
 * Limits the text that the searches of one operation scan. The amount is known before reading: each text is scanned
 * once per required or excluded pattern, and every database knows a text's length without reading it.
 */
import type { ContentBudget } from './content-budget.js';
import { TooLargeError } from '../conversation/errors.js';

/** Bytes of text, each counted for every scan. */
const MAX_WORK = 1024 ** 3;

/** Cost of reading a text and of starting a pattern, in bytes. */
const BYTES_PER_TEXT = 500;

/** Cost of scanning a text of this size for this number of patterns. */
export function workOf(bytes: number, patterns: number): number {
  return (bytes + BYTES_PER_TEXT) * (1 + patterns);
}

export class SearchWork {
  #left: number;

  /** @param content budget of the operation, which is refused with the search */
  constructor(
    private readonly content: ContentBudget | undefined,
    private readonly limit = MAX_WORK,
  ) {
    this.#left = limit;
  }

  /**
   * Counts work before it is done.
   * @throws TooLargeError beyond the limit
   */
  take(work: number): void {
    this.check(work);
    this.#left -= work;
  }

  /** @throws TooLargeError when less than this is left */
  check(work: number): void {
    if (work <= this.#left) return;
    const refusal = new TooLargeError(
      `The search would scan more than ${this.limit} bytes of text, once for each word: ` +
        'use rarer or fewer words, search in one chat, or search less at once',
    );
    this.content?.refuse(refusal);
    throw refusal;
  }
}
