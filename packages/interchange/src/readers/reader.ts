/** What a format needs to be read. */
import type { JsonObject } from '../json-object.js';
import type { SourceConversation } from './source-conversation.js';

interface Format {
  /** The name for `--format`, for metadata and for ids: it never changes. */
  readonly name: string;
  /** What people call it. */
  readonly label: string;
}

/** A format in which a value of the file is a conversation, or holds several. */
export interface ValueReader extends Format {
  /** Whether a value is of this format, well-formed or not: by members that no other format has in this way. */
  claims(value: JsonObject): boolean;
  /**
   * The conversations in a value, which may be used until the next is asked for.
   * @throws UnreadableError when it is none, or cannot be told from others
   */
  read(value: JsonObject): Iterable<SourceConversation>;
}

/** A format in which several values make up a conversation: lines, or the elements of an array. */
export interface LinesReader extends Format {
  /** Whether a value begins a conversation of this format. */
  claims(value: JsonObject): boolean;
  /** Whether a value goes on with what was begun before it. @param first what it was begun with, where there is no key */
  continues(value: JsonObject, first: JsonObject | null): boolean;
  /** The conversation to which a value belongs. Without it, one that is claimed and does not go on begins the next. */
  keyOf?(value: JsonObject): string | null;
  /**
   * The conversations in all values of a key, or from the first to the last.
   * @throws UnreadableError when they are none
   */
  readAll(values: readonly JsonObject[]): Iterable<SourceConversation>;
}

export type Reader = ValueReader | LinesReader;
