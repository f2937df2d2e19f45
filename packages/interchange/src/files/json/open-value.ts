/** The value that a splitter reads: its text, its open brackets, and positions of objects that may be parsed later. */
import { CollectedValue } from './collected-value.js';

/** Bytes of an object that is worth parsing later: see parsed-value.ts. */
const MIN_LAZY = 128;
const MAX_LAZY = 64 * 1024;

export class OpenValue {
  /** Positions of the open brackets, each times two, plus one for an object. */
  readonly #open: number[];
  /** The start of the part of this chunk that belongs to the value and is not in its text yet. */
  #from: number;
  /** Receives the text instead of the value; null while the value collects it. */
  #skipped: ((bytes: Buffer) => void) | null = null;

  /** @param from its start in this chunk */
  constructor(
    readonly firstLine: number,
    from: number,
    readonly text = new CollectedValue(),
    open: number[] = [],
    readonly lazy: number[] = [],
  ) {
    this.#from = from;
    this.#open = open;
  }

  /** The number of open brackets. */
  get depth(): number {
    return this.#open.length;
  }

  get isInObject(): boolean {
    return ((this.#open.at(-1) ?? 0) & 1) === 1;
  }

  /** The position in the value of a byte of this chunk. */
  placeOf(i: number): number {
    return this.text.size + i - this.#from;
  }

  openBracket(i: number, isObject: boolean): void {
    this.#open.push(this.placeOf(i) * 2 + (isObject ? 1 : 0));
  }

  /** @returns the position of the opening bracket; null when none of this kind is open */
  closeBracket(i: number, isObject: boolean): number | null {
    const opened = this.#open.pop();
    if (opened === undefined || (opened & 1) !== (isObject ? 1 : 0)) return null;
    const start = Math.floor(opened / 2);
    if (isObject && this.#open.length > 0) this.#noteLazy(start, this.placeOf(i) + 1);
    return start;
  }

  /** Adds the text before this byte. */
  endAt(chunk: Buffer, i: number): void {
    const bytes = chunk.subarray(this.#from, i);
    if (this.#skipped === null) this.text.append(bytes);
    else this.#skipped(bytes);
    this.#from = i;
  }

  /** Adds the rest of the chunk; another one follows. */
  endChunk(chunk: Buffer): void {
    this.endAt(chunk, chunk.length);
    this.#from = 0;
  }

  /** Drops the text from here on. @param skipped receives it */
  skipFrom(chunk: Buffer, i: number, skipped: (bytes: Buffer) => void = () => {}): void {
    this.endAt(chunk, i);
    this.#skipped = skipped;
  }

  /** Continues at this byte, without the dropped text. */
  resumeAt(i: number): void {
    this.#skipped = null;
    this.#from = i;
  }

  /** A copy of the value up to a place in its outermost object. */
  beginning(end: number): OpenValue {
    return new OpenValue(this.firstLine, 0, copyOf(this.text, 0, end), this.#open.slice(0, 1));
  }

  /** The text between two positions as a value that continues at a byte of this chunk. */
  part(start: number, end: number, i: number): OpenValue {
    const lazy = this.lazy.map((place) => place - start).filter((place) => place >= 0);
    return new OpenValue(this.firstLine, i, copyOf(this.text, start, end), [], lazy);
  }

  #noteLazy(start: number, end: number): void {
    const lazy = this.lazy;
    if (end - start < MIN_LAZY || end - start > MAX_LAZY) return;
    while (lazy.length > 0 && (lazy.at(-2) as number) >= start) lazy.length -= 2;
    lazy.push(start, end);
  }
}

/** Bytes that are copied at once. */
const PIECE_BYTES = 2 * 1024 * 1024;

function copyOf(text: CollectedValue, start: number, end: number): CollectedValue {
  const copy = new CollectedValue();
  for (let from = start; from < end; from += PIECE_BYTES) {
    copy.append(Buffer.from(text.slice(from, Math.min(from + PIECE_BYTES, end))));
  }
  return copy;
}
