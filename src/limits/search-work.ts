/**
 * How much the searches of one operation go through. It is known before anything is read: each text is gone through once
 * for each pattern that it must or must not have, and every database tells how long a text is without reading it.
 */
import type { ContentBudget } from './content-budget.js';
import { TooLargeError } from '../conversation/errors.js';

/** In bytes of text, each counted as often as it is gone through. */
const MAX_WORK = 1024 ** 3;

/** What it takes to get at a text, and to begin with a pattern, in bytes. */
const BYTES_PER_TEXT = 500;

/** Of a text of so many bytes, in which so many patterns are looked for. */
export function workOf(bytes: number, patterns: number): number {
  return (bytes + BYTES_PER_TEXT) * (1 + patterns);
}

export class SearchWork {
  #left: number;

  /** @param content of the operation, where there is one, which is refused with the search */
  constructor(
    private readonly content: ContentBudget | undefined,
    private readonly limit = MAX_WORK,
  ) {
    this.#left = limit;
  }

  /** Counts what is about to be gone through. @throws TooLargeError when that is too much */
  take(work: number): void {
    this.check(work);
    this.#left -= work;
  }

  /** @throws TooLargeError when there is not so much left */
  check(work: number): void {
    if (work <= this.#left) return;
    const refusal = new TooLargeError(
      `The search would go through more than ${this.limit} bytes of text, once for each word: ` +
        'use rarer words, or fewer, search in one chat, or search less at once',
    );
    this.content?.refuse(refusal);
    throw refusal;
  }
}
