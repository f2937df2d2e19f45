/** Reads a string to its end, and drops text beyond the size of any message, unless it is that of a data URL. */
import * as bytes from './json-bytes.js';
import { MAX_STRING_BYTES } from '../../limits.js';
import type { LongDataUrls } from './long-data-urls.js';
import type { OpenValue } from './open-value.js';

// See json-splitter.ts.
const { BACKSLASH, NEWLINE, QUOTE } = bytes;

const LOWER_U = 0x75;
const SLASH = 0x2f;

export class StringScanner {
  isOpen = false;
  /** Bytes of the string so far. */
  bytes = 0;
  #isEscaped = false;
  #hexLeft = 0;
  #isCut = false;
  /** The position of its text in the value. */
  #start = 0;
  /** Whether a cut string is kept as a long data URL. */
  #isKept = false;

  constructor(private readonly longUrls: LongDataUrls | null) {}

  /** @param start the position of its text in the value */
  open(start: number): void {
    this.isOpen = true;
    this.#start = start;
    this.bytes = this.#hexLeft = 0;
  }

  /** Drops the rest of the string: its value has failed. */
  abandon(): void {
    this.isOpen = this.#isEscaped = this.#isCut = this.#isKept = false;
    this.longUrls?.abandon();
  }

  /**
   * Reads the second byte of an escape.
   * @returns whether the byte was one
   */
  takeEscaped(byte: number): boolean {
    if (!this.#isEscaped) return false;
    this.#isEscaped = false;
    if (byte === LOWER_U) this.#hexLeft = 4;
    if (this.#isKept && byte !== SLASH) this.longUrls?.drop();
    return true;
  }

  /** Reads text without quotes, escapes and line breaks. */
  takeText(value: OpenValue, chunk: Buffer, start: number, stop: number): void {
    if (!this.#isCut && this.bytes + stop - start > MAX_STRING_BYTES) this.#keep(value, chunk, start);
    // Cut only between characters.
    const isBetween = this.#hexLeft === 0 && (start === stop || ((chunk[start] as number) & 0xc0) !== 0x80);
    if (!this.#isCut && isBetween && this.bytes > MAX_STRING_BYTES) {
      value.skipFrom(chunk, start);
      this.#isCut = true;
    }
    this.#hexLeft = Math.max(0, this.#hexLeft - (stop - start));
    this.bytes += stop - start;
  }

  /** Cuts a data URL always at the same byte: its shortened form depends on nothing else. */
  #keep(value: OpenValue, chunk: Buffer, start: number): void {
    const { longUrls } = this;
    if (longUrls === null || !longUrls.claims(value.text.slice(this.#start, this.#start + 256))) return;
    const end = start + Math.max(0, MAX_STRING_BYTES + 1 - this.bytes);
    value.skipFrom(chunk, end, (bytes) => longUrls.write(bytes));
    longUrls.begin(value.text.slice(this.#start, value.text.size));
    this.#isCut = this.#isKept = true;
  }

  /** Reads the closing quote, or the backslash of an escape. */
  takeMark(value: OpenValue, chunk: Buffer, byte: number, i: number): void {
    if (byte === BACKSLASH) {
      this.#isEscaped = true;
      this.bytes++;
      return;
    }
    if (this.#isCut) {
      value.endAt(chunk, i);
      if (this.#isKept) value.text.append(Buffer.from(this.longUrls?.end() ?? ''));
      value.resumeAt(i);
    }
    this.isOpen = this.#isCut = this.#isKept = false;
  }
}

/** Finds the end of a string's text in a chunk. Known positions are cached: each byte is searched once. */
export class TextEnds {
  #quote = -1;
  #backslash = -1;
  #lineBreak = -1;

  constructor(private readonly chunk: Buffer) {}

  /** The next quote, backslash or line break; the length of the chunk without one. */
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
