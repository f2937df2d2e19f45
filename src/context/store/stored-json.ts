/** Values from outside, made sure of before a store keeps them: each store keeps and refuses the same. */
import { invalid } from '../errors.js';
import { toJsonValue } from '../messages/json-value.js';
import type { NewMessageData } from './store-data.js';

/**
 * A value as JSON has it; undefined stays undefined.
 * @throws ContextError that says what cannot be stored
 */
export function toStoredJson(value: unknown, path: string): unknown {
  if (value === undefined) return undefined;
  try {
    return toJsonValue(value);
  } catch (error) {
    throw invalid(`${path} cannot be stored: ${(error as TypeError).message}`, path);
  }
}

/** The same for the data of messages, each of which has either text or data. */
export function toStoredMessages(messages: readonly NewMessageData[]): NewMessageData[] {
  return messages.map((message, index) => {
    const path = `messages.${index}.content`;
    const { text, data } = message.content as { text?: string | null; data?: unknown };
    if ((text == null) === (data == null)) {
      throw invalid(`${path} must have exactly one of text and data, and not null`, path);
    }
    return text == null ? { ...message, content: { data: toStoredJson(data, `${path}.data`) } } : message;
  });
}

/** The same for a chat's metadata, and changes of it. */
export function toStoredMetadata<Input extends { metadata?: unknown; metadataPatch?: unknown }>(input: Input): Input {
  const fields = { ...input };
  for (const name of ['metadata', 'metadataPatch'] as const) {
    if (fields[name] !== undefined) fields[name] = toStoredJson(fields[name], name);
  }
  return fields;
}
