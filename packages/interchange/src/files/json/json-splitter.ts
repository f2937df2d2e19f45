/**
 * Cuts JSON text into the values that are conversations, without parsing it: the elements of an array, the objects of a
 * file with one a line, the elements of `conversations` in an object, or the one object that the text is. It follows
 * strings and brackets alone, so that a value that is no JSON does not end the reading, and holds one value at a time.
 */
import { CollectedValue } from './collected-value.js';
import { UnreadableError } from '../unreadable.js';

/** Bytes of a string that are kept: beyond what any message may have, so that one that is cut is found too large. */
const MAX_STRING = 2 * 1024 * 1024;
/** Levels of arrays and objects; each costs memory. */
const MAX_DEPTH = 500_000;
/** Bytes of an object that may be parsed when it is needed: see parsed-value.ts. */
const MIN_LAZY = 128;
const MAX_LAZY = 64 * 1024;
/** The member that holds the conversations where a file is an object. */
const LIST = 'conversations';

const [TAB, NEWLINE, RETURN, SPACE, QUOTE, COMMA, COLON] = [0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x3a];
const [BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
const LOWER_U = 0x75;

/** The text of a value, or why there is none. */
export type Cut =
  | {
      place: string;
      text: CollectedValue;
      /** Objects in it that may be parsed later: start, end, start, end… */ lazy: number[];
    }
  | { place: string; fault: string };

export class JsonSplitter {
  /** What is complete, to be taken by the caller. */
  readonly cuts: Cut[] = [];
  #mode: 'start' | 'array' | 'objects' | 'ended' = 'start';
  /** The value that is being read; null between two. */
  #value: CollectedValue | null = null;
  #lazy: number[] = [];
  /** The brackets that are open in it: twice where each stands, plus one for an object. */
  #open: number[] = [];
  /** Where the part of this chunk begins that belongs to the value and is not in it yet. */
  #from = 0;
  /** The last byte that is neither white space nor in a string; a quote for a string. */
  #previous = 0;

  #inString = false;
  #escaped = false;
  #hexLeft = 0;
  #stringBytes = 0;
  /** Whether the rest of an endless string is being left out. */
  #leavesOut = false;

  #number = 0;
  #line = 1;
  #firstLine = 1;
  /** Whether a value ended on the line where it began, so that every line is one. */
  #isLines = false;
  /** A line break in a value: the next character tells whether the value was cut there. */
  #afterBreak = false;

  /** The last string of the outermost object, when it is short: maybe a key. */
  #key = '';
  /** Where the list of conversations begins, when there may be one, until its first element tells. */
  #listAt = -1;
  /** The object around the conversations, while they are read. */
  #around: { value: CollectedValue; open: number[]; lazy: number[]; firstLine: number } | null = null;

  /** Whether nothing more will be read. */
  get isEnded(): boolean {
    return this.#mode === 'ended';
  }

  /** @throws UnreadableError when the text cannot be JSON of conversations at all */
  write(chunk: Buffer): void {
    let [i, nextQuote, nextBackslash, nextBreak] = [0, -1, -1, -1];
    const n = chunk.length;
    this.#from = 0;
    const find = (byte: number) => {
      const at = chunk.indexOf(byte, i);
      return at === -1 ? n : at;
    };
    while (i < n && this.#mode !== 'ended') {
      if (!this.#inString) {
        i = this.#outside(chunk, i);
        continue;
      }
      if (this.#afterBreak) {
        this.#afterBreak = false;
        if (chunk[i] === OPEN_OBJECT) {
          this.#failInString();
          continue;
        }
      }
      if (this.#escaped) {
        this.#escaped = false;
        if (chunk[i] === LOWER_U) this.#hexLeft = 4;
        i++;
        continue;
      }
      if (nextQuote < i) nextQuote = find(QUOTE);
      if (nextBackslash < i) nextBackslash = find(BACKSLASH);
      if (this.#mode === 'objects' && nextBreak < i) nextBreak = find(NEWLINE);
      const stop = Math.min(nextQuote, nextBackslash, this.#mode === 'objects' ? nextBreak : n);
      this.#takeText(chunk, i, stop);
      i = stop;
      if (i === n) break;
      if (i === nextBackslash) {
        this.#escaped = true;
        this.#stringBytes++;
        i++;
      } else if (i === nextQuote) {
        if (this.#leavesOut) this.#from = i;
        this.#inString = this.#leavesOut = false;
        i++;
      } else {
        this.#breakInString();
        i++;
      }
    }
    if (this.#value !== null && !this.#leavesOut && this.#mode !== 'ended')
      this.#value.append(chunk.subarray(this.#from));
  }

  /** @throws UnreadableError when there was nothing */
  end(): void {
    if (this.#mode === 'start') throw new UnreadableError('There is nothing in it');
    if (this.#mode === 'ended') return;
    // An object is complete when it is closed, whatever should come after it.
    if (!this.#inString && this.#open.length === 0 && this.#previous === CLOSE_OBJECT) this.#finish();
    const isOpen = this.#inString || this.#open.length > 0 || this.#mode === 'array';
    if (isOpen) {
      if (this.#value === null) this.#number++;
      this.#fail('it breaks off before its end: the file is not complete', this.#mode === 'array');
    } else if (this.#value !== null) this.#finish();
    this.#around?.value.close();
    this.#mode = 'ended';
  }

  /** Removes what is on the disk, when the reading ends early. */
  close(): void {
    this.#value?.close();
    this.#around?.value.close();
    for (const cut of this.cuts) if ('text' in cut) cut.text.close();
  }

  /** Text of a string: so much of it as any message may have. */
  #takeText(chunk: Buffer, start: number, stop: number): void {
    const isWhole = this.#hexLeft === 0 && (start === stop || ((chunk[start] as number) & 0xc0) !== 0x80);
    if (!this.#leavesOut && isWhole && this.#stringBytes > MAX_STRING) {
      this.#value?.append(chunk.subarray(this.#from, start));
      this.#leavesOut = true;
    }
    this.#hexLeft = Math.max(0, this.#hexLeft - (stop - start));
    this.#stringBytes += stop - start;
    if (this.#isKeyLevel && this.#stringBytes <= LIST.length) this.#key += chunk.toString('latin1', start, stop);
  }

  get #isKeyLevel(): boolean {
    return this.#mode === 'objects' && this.#open.length === 1;
  }

  /** A line break, which no string can have: where lines are conversations, this one was cut. */
  #breakInString(): void {
    this.#line++;
    if (this.#isLines) this.#failInString();
    else this.#afterBreak = true;
  }

  #failInString(): void {
    this.#isLines = true;
    this.#fail('it breaks off in the middle of a text');
  }

  /** One character outside of strings. */
  #outside(chunk: Buffer, i: number): number {
    const byte = chunk[i] as number;
    if (byte === SPACE || byte === TAB || byte === RETURN) return i + 1;
    if (byte === NEWLINE) return this.#breakOutside(chunk, i);
    if (this.#mode === 'start') return this.#begin(byte, i);
    if (this.#value === null) {
      if (this.#mode === 'array') {
        if (byte === CLOSE_ARRAY) return this.#endList(i);
        if (byte === COMMA) return i + 1;
      }
      this.#startValue(i);
    } else if (this.#open.length === 0 && this.#mode === 'array' && (byte === COMMA || byte === CLOSE_ARRAY)) {
      this.#endAt(chunk, i);
      this.#finish();
      return byte === COMMA ? i + 1 : this.#endList(i);
    }
    if (this.#afterBreak) {
      this.#afterBreak = false;
      const inObject = ((this.#open.at(-1) ?? 0) & 1) === 1;
      const isInList =
        this.#previous === COLON || (!inObject && (this.#previous === COMMA || this.#previous === OPEN_ARRAY));
      if (byte === OPEN_OBJECT && this.#open.length > 0 && !isInList) {
        this.#isLines = true;
        this.#endAt(chunk, i);
        this.#fail('it breaks off before its end');
        this.#startValue(i);
      }
    }
    this.#take(chunk, byte, i);
    return i + 1;
  }

  #take(chunk: Buffer, byte: number, i: number): void {
    const before = this.#previous;
    this.#previous = byte;
    switch (byte) {
      case QUOTE:
        this.#inString = true;
        this.#stringBytes = 0;
        this.#key = '';
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (this.#open.length === MAX_DEPTH) {
          this.#fail(`it nests deeper than ${MAX_DEPTH.toLocaleString('en')} levels`, this.#mode === 'array');
          this.#mode = 'ended';
          break;
        }
        if (
          byte === OPEN_ARRAY &&
          this.#isKeyLevel &&
          this.#around === null &&
          before === COLON &&
          this.#key === LIST
        ) {
          this.#listAt = this.#place(i);
        }
        this.#open.push(this.#place(i) * 2 + (byte === OPEN_OBJECT ? 1 : 0));
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        this.#closeBracket(chunk, byte, i);
        break;
    }
  }

  #closeBracket(chunk: Buffer, byte: number, i: number): void {
    const opened = this.#open.pop();
    const isObject = byte === CLOSE_OBJECT;
    if (opened === undefined || (opened & 1) !== (isObject ? 1 : 0)) {
      const fault = `it is not JSON: a ${isObject ? '}' : ']'} stands where none was expected`;
      this.#fail(fault, this.#mode === 'array');
      this.#open = [];
      if (this.#mode === 'array') this.#mode = 'ended';
      return;
    }
    const start = Math.floor(opened / 2);
    if (isObject && this.#open.length > 0) this.#noteLazy(start, this.#place(i) + 1);
    if (this.#listAt !== -1 && this.#open.length <= 2) this.#maybeList(chunk, start, i);
    else if (this.#open.length === 0 && this.#mode === 'objects') {
      this.#endAt(chunk, i + 1);
      this.#finish();
    }
  }

  #noteLazy(start: number, end: number): void {
    const lazy = this.#lazy;
    if (end - start < MIN_LAZY || end - start > MAX_LAZY) return;
    while (lazy.length > 0 && (lazy.at(-2) as number) >= start) lazy.length -= 2;
    lazy.push(start, end);
  }

  /** After the first element of `conversations`, or its end: are these conversations, or the messages of one? */
  #maybeList(chunk: Buffer, start: number, i: number): void {
    const at = this.#listAt;
    const value = this.#value as CollectedValue;
    this.#listAt = -1;
    this.#endAt(chunk, i + 1);
    this.#value = value;
    const end = value.size;
    const isEmpty = start === at;
    // What stands there beside objects is no conversation.
    if (
      value
        .slice(at + 1, isEmpty ? end - 1 : start)
        .toString('latin1')
        .trim() !== ''
    )
      return;
    if (!isEmpty && (this.#open.length !== 2 || isMessage(value.slice(start, end)))) return;
    const around = new CollectedValue();
    around.append(Buffer.from(value.slice(0, at + 1)));
    this.#around = { value: around, open: this.#open.slice(0, 1), lazy: [], firstLine: this.#firstLine };
    if (isEmpty) {
      value.close();
      return this.#backToAround();
    }
    const first = new CollectedValue();
    for (let from = start; from < end; from += MAX_STRING)
      first.append(Buffer.from(value.slice(from, Math.min(from + MAX_STRING, end))));
    value.close();
    this.#mode = 'array';
    this.#number++;
    this.#open = [];
    this.#value = first;
    this.#lazy = this.#lazy.map((place) => place - start).filter((place) => place >= 0);
    this.#from = i + 1;
  }

  /** The end of the array, or of `conversations` in an object, which then goes on. */
  #endList(i: number): number {
    this.#from = i + 1;
    if (this.#around === null) this.#mode = 'ended';
    else this.#backToAround();
    return i + 1;
  }

  #backToAround(): void {
    const around = this.#around;
    if (around === null) return;
    around.value.append(Buffer.from(']'));
    this.#mode = 'objects';
    this.#value = around.value;
    this.#open = around.open;
    this.#lazy = around.lazy;
    this.#firstLine = around.firstLine;
    this.#previous = CLOSE_ARRAY;
  }

  #breakOutside(chunk: Buffer, i: number): number {
    this.#line++;
    if (this.#mode !== 'objects' || this.#value === null) return i + 1;
    if (this.#open.length === 0) {
      this.#endAt(chunk, i);
      this.#finish();
    } else if (this.#isLines && this.#around === null) {
      this.#endAt(chunk, i);
      this.#fail('it breaks off before its end');
    } else this.#afterBreak = true;
    return i + 1;
  }

  #begin(byte: number, i: number): number {
    if (byte === OPEN_ARRAY) {
      this.#mode = 'array';
      return i + 1;
    }
    if (byte !== OPEN_OBJECT) {
      throw new UnreadableError('It is not JSON of conversations: it begins with neither [ nor {');
    }
    this.#mode = 'objects';
    return i;
  }

  #startValue(i: number): void {
    this.#value = new CollectedValue();
    this.#lazy = [];
    this.#open = [];
    this.#from = i;
    this.#previous = 0;
    this.#afterBreak = false;
    this.#firstLine = this.#line;
    this.#listAt = -1;
    if (this.#mode === 'array') this.#number++;
  }

  /** Where a character of this chunk stands in the value. */
  #place(i: number): number {
    return (this.#value?.size ?? 0) + i - this.#from;
  }

  /** The value has what comes before this character. */
  #endAt(chunk: Buffer, i: number): void {
    if (!this.#leavesOut) this.#value?.append(chunk.subarray(this.#from, i));
    this.#from = i;
  }

  #finish(): void {
    const [text, lazy] = [this.#value, this.#lazy];
    if (text === null) return;
    const isAround = this.#around?.value === text;
    if (this.#mode === 'objects' && this.#firstLine === this.#line) this.#isLines = true;
    this.#value = null;
    if (isAround) {
      this.#around = null;
      text.close();
    } else this.cuts.push({ place: this.#placeOfValue(), text, lazy });
  }

  #fail(fault: string, isLast = false): void {
    const place = this.#placeOfValue();
    this.#value?.close();
    this.#value = null;
    this.#open = [];
    this.#inString = this.#leavesOut = this.#escaped = false;
    this.cuts.push({ place, fault: isLast ? `${fault}; nothing after it was read` : fault });
  }

  #placeOfValue(): string {
    if (this.#mode === 'array') return `conversation ${this.#number}`;
    return this.#isLines || this.#firstLine === this.#line ? `line ${this.#firstLine}` : 'the conversation';
  }
}

/** Whether an element of `conversations` is a message: then the object around is one conversation, as in ShareGPT's. */
function isMessage(text: Buffer): boolean {
  if (text.length > MAX_STRING) return false;
  try {
    const value = JSON.parse(text.toString('utf8')) as Record<string, unknown>;
    if ('role' in value || 'human' in value) return true;
    return 'from' in value && ('value' in value || 'content' in value);
  } catch {
    return false;
  }
}
