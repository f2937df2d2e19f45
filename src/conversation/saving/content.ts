/** The content that a client sends, and the data that is saved for it. */
import { isDeepStrictEqual } from 'node:util';
import { checkJson, MAX_DATA_BYTES } from '../bounds.js';
import { InvalidInputError } from '../errors.js';
import type { Message } from '../model.js';
import { SAVED_MESSAGE_COLUMNS } from '../tables.js';
import type { NamedSources } from './sources.js';

/** Exactly one of text, saved as a UI message with one text part, and data, saved unchanged. */
export interface MessageContent {
  text?: string | null | undefined;
  data?: unknown;
}

export type SavedValues = Pick<Message, (typeof SAVED_MESSAGE_COLUMNS)[number]>;

export interface MessageInput extends SavedValues {
  /** The JSON text to save under this id: a UI message contains its id and role. */
  dataFor(id: string, name: string): string;
  /** Undefined: none for a new message, and any for a saved one. */
  readonly sources?: NamedSources | undefined;
}

/**
 * Checks a content.
 * @param path the path of the content in the input, for errors
 * @throws InvalidInputError
 */
export function readContent(content: MessageContent, path: string): MessageInput['dataFor'] {
  const { text, data } = content;
  if ((text == null) === (data == null)) {
    throw new InvalidInputError(`${path} must have exactly one of text and data, and not null`, path);
  }
  if (text != null) {
    // The limit applies to the client's text, not to the id, role and parts that are added.
    checkJson(text, `${path}.text`, MAX_DATA_BYTES);
    return (id, name) => JSON.stringify({ id, role: name, parts: [{ type: 'text', text }] });
  }
  const json = checkJson(data, `${path}.data`, MAX_DATA_BYTES);
  return () => json;
}

/** Whether a saved message equals an input but for its sources, which makes saving the input a retry. */
export function isSameMessage(message: Message, input: MessageInput): boolean {
  if (SAVED_MESSAGE_COLUMNS.some((name) => message[name] !== input[name])) return false;
  const data = input.dataFor(message.id, message.name);
  // Most retries are equal text. Values are compared only when the lengths match: key order does not change the length.
  return (
    data === message.data ||
    (data.length === message.data.length && isDeepStrictEqual(JSON.parse(data), JSON.parse(message.data)))
  );
}
