/** Follows a string to its end, and leaves out what no message can hold of it. */
import * as bytes from './json-bytes.js';
import type { OpenValue } from './open-value.js';

// See json-splitter.ts.
const { BACKSLASH, NEWLINE, QUOTE } = bytes;

/** Bytes of a string that are kept: beyond what any message may have, so that one that is cut is found too large. */
const MAX_STRING = 2 * 1024 * 1024;
const LOWER_U = 0x75;

export class StringScanner {
  isOpen = false;
  /** Of the string so far. */
  bytes = 0;
  #isEscaped = false;
  #hexLeft = 0;
  #isCut = false;

  open(): void {
    this.isOpen = true;
    this.bytes = this.#hexLeft = 0;
  }

  /** The value that it belongs to has failed. */
  abandon(): void {
    this.isOpen = this.#isEscaped = this.#isCut = false;
  }

  /** Takes the second byte of an escape. @returns whether this was one */
  takeEscaped(byte: number): boolean {
    if (!this.#isEscaped) return false;
    this.#isEscaped = false;
    if (byte === LOWER_U) this.#hexLeft = 4;
    return true;
  }

  /** Takes text without quotes, escapes and line breaks. */
  takeText(value: OpenValue, chunk: Buffer, start: number, stop: number): void {
    // A cut falls between characters.
    const isBetween = this.#hexLeft === 0 && (start === stop || ((chunk[start] as number) & 0xc0) !== 0x80);
    if (!this.#isCut && isBetween && this.bytes > MAX_STRING) {
      value.skipFrom(chunk, start);
      this.#isCut = true;
    }
    this.#hexLeft = Math.max(0, this.#hexLeft - (stop - start));
    this.bytes += stop - start;
  }

  /** Takes the quote that ends it, or the backslash that begins an escape. */
  takeMark(value: OpenValue, byte: number, i: number): void {
    if (byte === BACKSLASH) {
      this.#isEscaped = true;
      this.bytes++;
      return;
    }
    if (this.#isCut) value.resumeAt(i);
    this.isOpen = this.#isCut = false;
  }
}

/** Where text of a string ends in a chunk. Positions that are known are not searched again: each byte is searched once. */
export class TextEnds {
  #quote = -1;
  #backslash = -1;
  #lineBreak = -1;

  constructor(private readonly chunk: Buffer) {}

  /** The next quote or backslash, or line break; the length of the chunk where there is none. */
  after(i: number, endsAtBreaks: boolean): number {
    if (this.#quote < i) this.#quote = this.#find(QUOTE, i);
    if (this.#backslash < i) this.#backslash = this.#find(BACKSLASH, i);
    const end = Math.min(this.#quote, this.#backslash);
    if (!endsAtBreaks) return end;
    if (this.#lineBreak < i) this.#lineBreak = this.#find(NEWLINE, i);
    return Math.min(end, this.#lineBreak);
  }

  #find(byte: number, i: number): number {
    const at = this.chunk.indexOf(byte, i);
    return at === -1 ? this.chunk.length : at;
  }
}
