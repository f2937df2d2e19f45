/** How the values of a file follow each other: their start, their end and their names. */
import { CLOSE_ARRAY, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT } from './json-bytes.js';
import type { OpenValue } from './open-value.js';

export interface Layout {
  /** The meaning of a byte between two values. */
  between(byte: number): 'begin' | 'skip' | 'end';
  /** Whether a value without open brackets ends before a byte. */
  endsBefore(byte: number): boolean;
  placeOf(value: OpenValue | null, line: number): string;
}

/** The elements of an array. Nothing after an invalid element can be read. */
export class Elements implements Layout {
  #count = 0;

  countOne(): void {
    this.#count++;
  }

  between(byte: number): 'begin' | 'skip' | 'end' {
    if (byte === CLOSE_ARRAY) return 'end';
    return byte === COMMA ? 'skip' : 'begin';
  }

  endsBefore(byte: number): boolean {
    return byte === COMMA || byte === CLOSE_ARRAY;
  }

  placeOf(): string {
    return `conversation ${this.#count}`;
  }
}

/** Objects in sequence: one on each line, or one that is the whole file. */
export class Objects implements Layout {
  /** Whether a value ended on the line where it began, so that each line is a value. */
  isLines = false;
  /** After a line break in a value: the next byte shows whether the value was cut there. */
  isAfterBreak = false;

  between(): 'begin' {
    return 'begin';
  }

  endsBefore(): boolean {
    return false;
  }

  /** A value has ended. */
  end(value: OpenValue, line: number): void {
    if (value.firstLine === line) this.isLines = true;
  }

  /** After a line break: whether an object in the value starts the next value, because none is valid there. */
  isCutBy(byte: number, value: OpenValue, previous: number): boolean {
    this.isAfterBreak = false;
    const isInList = previous === COLON || (!value.isInObject && (previous === COMMA || previous === OPEN_ARRAY));
    if (byte !== OPEN_OBJECT || value.depth === 0 || isInList) return false;
    return (this.isLines = true);
  }

  /** The same for strings, which have no line breaks. */
  isStringCutBy(byte: number): boolean {
    this.isAfterBreak = false;
    if (byte === OPEN_OBJECT) this.isLines = true;
    return byte === OPEN_OBJECT;
  }

  placeOf(value: OpenValue | null, line: number): string {
    const firstLine = value?.firstLine ?? line;
    return this.isLines || firstLine === line ? `line ${firstLine}` : 'the conversation';
  }
}
