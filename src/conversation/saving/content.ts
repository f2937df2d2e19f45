/** What a client gives as a message's content, and the data that is saved for it. */
import { isDeepStrictEqual } from 'node:util';
import { checkJson, MAX_DATA_BYTES } from '../bounds.js';
import { InvalidInputError } from '../errors.js';
import type { Message } from '../model.js';

/** Exactly one of the two: text, saved as a UI message with one text part, or data, saved as it is. */
export interface MessageContent {
  text?: string | null | undefined;
  data?: unknown;
}

/** A message to be saved, its values checked. */
export interface MessageDraft {
  name: string;
  type: string;
  /** The JSON text to save under this id: a UI message carries its own id and its author's role. */
  dataFor(id: string, name: string): string;
}

/**
 * Checks a content and answers how to write it.
 * @param path the path of the content in the input, for errors
 * @throws InvalidInputError
 */
export function readContent(content: MessageContent, path: string): MessageDraft['dataFor'] {
  const { text, data } = content;
  if ((text == null) === (data == null)) {
    throw new InvalidInputError(`${path} must have exactly one of text and data, and not null`, path);
  }
  if (text != null) {
    // The bytes that id, role and parts add are not the client's to count.
    checkJson(text, `${path}.text`, MAX_DATA_BYTES);
    return (id, name) => JSON.stringify({ id, role: name, parts: [{ type: 'text', text }] });
  }
  const json = checkJson(data, `${path}.data`, MAX_DATA_BYTES);
  return () => json;
}

/** Whether a saved message is what a draft would save in its place: then saving the draft is a retry. */
export function isSameMessage(message: Message, draft: MessageDraft): boolean {
  if (message.name !== draft.name || message.type !== draft.type) return false;
  const data = draft.dataFor(message.id, message.name);
  // Most retries are equal to the letter. Of the others only those pay for a comparison of values that can be equal: whatever
  // the order of its keys, a value is as long.
  return (
    data === message.data ||
    (data.length === message.data.length && isDeepStrictEqual(JSON.parse(data), JSON.parse(message.data)))
  );
}
