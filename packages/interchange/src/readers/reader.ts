/** The interface of a format's reader. */
import type { JsonObject } from '../json-object.js';
import type { FoundSource } from '../source-conversation.js';

interface Format {
  /** The name for `--format`, metadata and ids. It never changes. */
  readonly name: string;
  /** The name in reports. */
  readonly label: string;
}

/** A format in which a value of the file is one or more conversations. */
export interface ValueReader extends Format {
  /** Whether a value is of this format, valid or not: by members that no other format has in the same form. */
  claims(value: JsonObject): boolean;
  /**
   * The conversations in a value. Each is valid until the next is read.
   * @param title the name of the file without folder and extension, for formats without a title of their own
   * @throws UnreadableError when it has none, or cannot be identified
   */
  read(value: JsonObject, title: string | null): Iterable<FoundSource>;
}

/** A format in which several values form a conversation: lines, or elements of an array. */
export interface LinesReader extends Format {
  /** Whether a value starts a conversation of this format. */
  claims(value: JsonObject): boolean;
  /**
   * Whether a value continues a conversation.
   * @param first its first value, for formats without a key
   */
  continues(value: JsonObject, first: JsonObject | null): boolean;
  /**
   * The conversation of a value. Without this method, a claimed value that does not continue starts the next
   * conversation.
   */
  keyOf?(value: JsonObject): string | null;
  /**
   * The conversations in all values of a key, or from the first value to the last.
   * @throws UnreadableError when there are none
   */
  readAll(values: readonly JsonObject[]): Iterable<FoundSource>;
}

export type Reader = ValueReader | LinesReader;
