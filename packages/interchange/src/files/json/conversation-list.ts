/** Detects the list of conversations in an object while it is read. */
import { COLON } from './json-bytes.js';
import type { OpenValue } from './open-value.js';

/** The member that holds the conversations where a file is an object. */
const LIST = 'conversations';
/** Bytes of a first element that are parsed to distinguish a message from a conversation. */
const MAX_FIRST = 2 * 1024 * 1024;

/** The object without its list, and the first conversation; null for an empty list. */
export interface SplitObject {
  around: OpenValue;
  first: OpenValue | null;
}

export class ConversationList {
  /** The last short string of the outermost object, which can be a key. */
  #key = '';
  /** The position of a possible list, until its first element decides. */
  #listAt = -1;

  get isExpected(): boolean {
    return this.#listAt !== -1;
  }

  reset(): void {
    this.#listAt = -1;
  }

  openString(): void {
    this.#key = '';
  }

  /**
   * Reads text of a string in the outermost object.
   * @param bytes of the string so far
   */
  takeText(chunk: Buffer, start: number, stop: number, bytes: number): void {
    if (bytes <= LIST.length) this.#key += chunk.toString('latin1', start, stop);
  }

  /**
   * Handles an array in the outermost object.
   * @param previous the byte before it
   */
  openArray(place: number, previous: number): void {
    if (previous === COLON && this.#key === LIST) this.#listAt = place;
  }

  /**
   * After the first element of the list, or its end: decides whether the elements are conversations, or messages of
   * one.
   * @param value has all text up to there
   * @param start the position of the element, or of the list
   * @param i the byte after it
   */
  split(value: OpenValue, start: number, i: number): SplitObject | null {
    const at = this.#listAt;
    const { text } = value;
    this.#listAt = -1;
    const end = text.size;
    const isEmpty = start === at;
    // Values other than objects are not conversations.
    const before = text.slice(at + 1, isEmpty ? end - 1 : start).toString('latin1');
    if (before.trim() !== '') return null;
    if (!isEmpty && (value.depth !== 2 || isMessage(text.slice(start, end)))) return null;
    const split = { around: value.beginning(at + 1), first: isEmpty ? null : value.part(start, end, i) };
    text.close();
    return split;
  }
}

/** Whether an element is a message: then the surrounding object is one conversation, as in ShareGPT. */
function isMessage(text: Buffer): boolean {
  if (text.length > MAX_FIRST) return false;
  try {
    const value = JSON.parse(text.toString('utf8')) as Record<string, unknown>;
    if ('role' in value || 'human' in value) return true;
    return 'from' in value && ('value' in value || 'content' in value);
  } catch {
    return false;
  }
}
