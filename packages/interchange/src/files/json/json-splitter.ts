/**
 * Splits JSON text into the values that are conversations, without parsing it: elements of an array, objects on lines,
 * elements of `conversations` in an object, or a single object. It follows only strings and brackets, so invalid JSON
 * in one value does not end the reading. One value is held at a time.
 */
import { UnreadableError } from '../../file-values.js';
import type { CollectedValue } from './collected-value.js';
import { ConversationList } from './conversation-list.js';
import * as bytes from './json-bytes.js';
import { Elements, Objects, type Layout } from './layouts.js';
import type { LongDataUrls } from './long-data-urls.js';
import { OpenValue } from './open-value.js';
import { StringScanner, TextEnds } from './string-scanner.js';

// V8 optimizes loads of local constants, but not of imported ones.
const { CLOSE_ARRAY, CLOSE_OBJECT, COMMA, NEWLINE, OPEN_ARRAY, OPEN_OBJECT, QUOTE, RETURN, SPACE, TAB } = bytes;

/** Levels of arrays and objects; each costs memory. */
const MAX_DEPTH = 500_000;

/** The text of a value, or the reason that it is missing. */
export type Cut =
  | {
      place: string;
      text: CollectedValue;
      /** Positions of objects in it that may be parsed later: start, end, start, end… */ lazy: number[];
    }
  | { place: string; fault: string };

export class JsonSplitter {
  /** Complete values for the caller to take. */
  readonly cuts: Cut[] = [];
  readonly #elements = new Elements();
  readonly #objects = new Objects();
  readonly #list = new ConversationList();
  readonly #string: StringScanner;
  /** Null before the first byte. */
  #layout: Layout | null = null;
  #isEnded = false;
  /** The current value; null between two values. */
  #value: OpenValue | null = null;
  /** The object around the list of conversations, during the list and after it. */
  #around: OpenValue | null = null;
  /** The last byte that is neither white space nor in a string; a quote stands for a string. */
  #previous = 0;
  #line = 1;

  /** @param longUrls keeps long data URLs; null truncates them */
  constructor(longUrls: LongDataUrls | null = null) {
    this.#string = new StringScanner(longUrls);
  }

  /** Whether the rest of the text is ignored. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Whether values end at their closing bracket, and can be cut by line breaks. */
  get #isObjects(): boolean {
    return this.#layout === this.#objects;
  }

  /** @throws UnreadableError when the text cannot be JSON of conversations */
  write(chunk: Buffer): void {
    const ends = new TextEnds(chunk);
    for (let i = 0; i < chunk.length && !this.#isEnded;) {
      i = this.#string.isOpen ? this.#inString(chunk, i, ends) : this.#outside(chunk, i);
    }
    if (!this.#isEnded) this.#value?.endChunk(chunk);
  }

  /** @throws UnreadableError when the text is empty */
  end(): void {
    if (this.#layout === null) throw new UnreadableError('There is nothing in it');
    if (this.#isEnded) return;
    const isOpen = () => this.#string.isOpen || (this.#value?.depth ?? 0) > 0;
    // An object is complete when it is closed; following bytes do not matter.
    if (!isOpen() && this.#previous === CLOSE_OBJECT) this.#finish();
    if (isOpen() || !this.#isObjects) {
      if (this.#value === null) this.#elements.countOne();
      this.#fail('it breaks off before its end: the file is not complete', !this.#isObjects);
    } else this.#finish();
    this.#around?.text.close();
    this.#isEnded = true;
  }

  /** Deletes temporary files when the reading ends early. */
  close(): void {
    this.#value?.text.close();
    this.#around?.text.close();
    for (const cut of this.cuts) if ('text' in cut) cut.text.close();
  }

  /** @returns the position to continue at */
  #inString(chunk: Buffer, i: number, ends: TextEnds): number {
    const [string, value] = [this.#string, this.#value as OpenValue];
    const byte = chunk[i] as number;
    if (this.#objects.isAfterBreak && this.#objects.isStringCutBy(byte)) return this.#failInString(i);
    if (string.takeEscaped(byte)) return i + 1;
    const stop = ends.after(i, this.#isObjects);
    string.takeText(value, chunk, i, stop);
    if (value.depth === 1 && this.#isObjects) this.#list.takeText(chunk, i, stop, string.bytes);
    if (stop === chunk.length) return stop;
    if (chunk[stop] !== NEWLINE) string.takeMark(value, chunk, chunk[stop] as number, stop);
    else {
      // Strings cannot contain line breaks: where lines are conversations, this one was cut.
      this.#line++;
      if (this.#objects.isLines) this.#failInString(stop);
      else this.#objects.isAfterBreak = true;
    }
    return stop + 1;
  }

  #failInString(i: number): number {
    this.#fail('it breaks off in the middle of a text');
    return i;
  }

  /**
   * Handles one byte outside of strings.
   * @returns the position to continue at
   */
  #outside(chunk: Buffer, i: number): number {
    const byte = chunk[i] as number;
    if (byte === SPACE || byte === TAB || byte === RETURN) return i + 1;
    if (byte === NEWLINE) return this.#breakOutside(chunk, i);
    if (this.#layout === null) {
      this.#layout = this.#layoutFrom(byte);
      if (byte === OPEN_ARRAY) return i + 1;
    }
    const layout = this.#layout;
    if (this.#value === null) {
      const meaning = layout.between(byte);
      if (meaning !== 'begin') return meaning === 'skip' ? i + 1 : this.#endList(i);
      this.#begin(i);
    } else if (this.#value.depth === 0 && layout.endsBefore(byte)) {
      this.#finishAt(chunk, i);
      return byte === COMMA ? i + 1 : this.#endList(i);
    }
    if (this.#objects.isAfterBreak && this.#objects.isCutBy(byte, this.#value as OpenValue, this.#previous)) {
      this.#fail('it breaks off before its end');
      this.#begin(i);
    }
    this.#take(this.#value as OpenValue, chunk, byte, i);
    return i + 1;
  }

  #layoutFrom(byte: number): Layout {
    if (byte === OPEN_ARRAY) return this.#elements;
    if (byte === OPEN_OBJECT) return this.#objects;
    throw new UnreadableError('It is not JSON of conversations: it begins with neither [ nor {');
  }

  #take(value: OpenValue, chunk: Buffer, byte: number, i: number): void {
    const before = this.#previous;
    this.#previous = byte;
    switch (byte) {
      case QUOTE:
        this.#string.open(value.placeOf(i + 1));
        this.#list.openString();
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (value.depth === MAX_DEPTH) {
          const isLast = !this.#isObjects;
          this.#fail(`it nests deeper than ${MAX_DEPTH.toLocaleString('en')} levels`, isLast);
          this.#isEnded = true;
          break;
        }
        if (byte === OPEN_ARRAY && this.#isObjects && value.depth === 1 && this.#around === null) {
          this.#list.openArray(value.placeOf(i), before);
        }
        value.openBracket(i, byte === OPEN_OBJECT);
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        this.#closeBracket(value, chunk, byte, i);
        break;
    }
  }

  #closeBracket(value: OpenValue, chunk: Buffer, byte: number, i: number): void {
    const isObjects = this.#isObjects;
    const isObject = byte === CLOSE_OBJECT;
    const start = value.closeBracket(i, isObject);
    if (start === null) {
      const fault = `it is not JSON: unexpected ${isObject ? '}' : ']'}`;
      this.#fail(fault, !isObjects);
      if (!isObjects) this.#isEnded = true;
      return;
    }
    if (this.#list.isExpected && value.depth <= 2) this.#maybeList(value, chunk, start, i + 1);
    else if (value.depth === 0 && isObjects) this.#finishAt(chunk, i + 1);
  }

  #maybeList(value: OpenValue, chunk: Buffer, start: number, end: number): void {
    value.endAt(chunk, end);
    const split = this.#list.split(value, start, end);
    if (split === null) return;
    this.#around = split.around;
    if (split.first === null) return this.#resumeAround(split.around, end);
    this.#layout = this.#elements;
    this.#elements.countOne();
    this.#value = split.first;
  }

  /** Ends the array, or `conversations` in an object, which then continues. */
  #endList(i: number): number {
    if (this.#around === null) this.#isEnded = true;
    else this.#resumeAround(this.#around, i + 1);
    return i + 1;
  }

  #resumeAround(around: OpenValue, i: number): void {
    around.text.append(Buffer.from(']'));
    around.resumeAt(i);
    this.#layout = this.#objects;
    this.#value = around;
    this.#previous = CLOSE_ARRAY;
  }

  #breakOutside(chunk: Buffer, i: number): number {
    this.#line++;
    const value = this.#value;
    if (!this.#isObjects || value === null) return i + 1;
    if (value.depth === 0) this.#finishAt(chunk, i);
    else if (this.#objects.isLines && this.#around === null) this.#fail('it breaks off before its end');
    else this.#objects.isAfterBreak = true;
    return i + 1;
  }

  #begin(i: number): void {
    this.#value = new OpenValue(this.#line, i);
    this.#previous = 0;
    this.#objects.isAfterBreak = false;
    this.#list.reset();
    if (!this.#isObjects) this.#elements.countOne();
  }

  #finishAt(chunk: Buffer, i: number): void {
    this.#value?.endAt(chunk, i);
    this.#finish();
  }

  #finish(): void {
    const value = this.#value;
    if (value === null) return;
    if (this.#isObjects) this.#objects.end(value, this.#line);
    this.#value = null;
    if (value === this.#around) {
      this.#around = null;
      value.text.close();
    } else this.cuts.push({ place: this.#placeOf(value), text: value.text, lazy: value.lazy });
  }

  #fail(fault: string, isLast = false): void {
    const place = this.#placeOf(this.#value);
    this.#value?.text.close();
    this.#value = null;
    this.#string.abandon();
    this.cuts.push({ place, fault: isLast ? `${fault}; nothing after it was read` : fault });
  }

  #placeOf(value: OpenValue | null): string {
    return (this.#layout ?? this.#objects).placeOf(value, this.#line);
  }
}
