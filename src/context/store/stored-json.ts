/**
 * Values from outside, made sure of before a store keeps them: each store keeps and refuses the same. Of an object that has
 * more in it than is asked for, such as a row that was read and is written again, the rest is left out.
 */
import { invalid } from '../errors.js';
import { toJsonValue } from '../messages/json-value.js';
import { isRecord } from '../record.js';
import type { ChatUpdates, NewChatData, NewCheckpointData, NewMessageData, SaveOptions } from './store-data.js';

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

/** The same for messages, each of which has either text or data. */
export function toStoredMessages(messages: readonly NewMessageData[]): NewMessageData[] {
  return messages.map(({ id, lazyId, name, type, content }, index) => {
    const path = `messages.${index}`;
    // Plain JavaScript may give anything.
    if (lazyId != null && (lazyId as string) !== 'LAST_ASSISTANT') {
      throw invalid(`${path}.lazyId must be LAST_ASSISTANT, not ${String(lazyId)}`, `${path}.lazyId`);
    }
    return {
      ...(id !== undefined && { id }),
      ...(lazyId !== undefined && { lazyId }),
      ...(type !== undefined && { type }),
      name,
      content: toStoredContent(content, `${path}.content`),
    };
  });
}

function toStoredContent(content: unknown, path: string): NewMessageData['content'] {
  const { text, data } = isRecord(content) ? content : {};
  if ((text == null) === (data == null)) {
    throw invalid(`${path} must have exactly one of text and data, and not null`, path);
  }
  if (text == null) return { data: toStoredJson(data, `${path}.data`) };
  if (typeof text !== 'string') throw invalid(`${path}.text must be a text`, `${path}.text`);
  return { text };
}

/** The same for what a save asks for. */
export function toSaveOptions({ branch, expectedHeadId, onConflict }: SaveOptions): SaveOptions {
  if (onConflict !== undefined && !['REJECT', 'FORK', 'APPEND'].includes(onConflict)) {
    throw invalid(`onConflict must be REJECT, FORK or APPEND, not ${String(onConflict)}`, 'onConflict');
  }
  return {
    ...(branch !== undefined && { branch }),
    ...(expectedHeadId !== undefined && { expectedHeadId }),
    ...(onConflict !== undefined && { onConflict }),
  };
}

/** The same for a new chat. */
export function toStoredChat({ id, userId, title, metadata }: NewChatData): NewChatData {
  return { id, userId, ...toStoredUpdates({ title, metadata }) } as NewChatData;
}

/** The same for changes of a chat. */
export function toStoredUpdates({ title, ...given }: ChatUpdates): ChatUpdates {
  const updates: ChatUpdates = title === undefined ? {} : { title };
  for (const name of ['metadata', 'metadataPatch'] as const) {
    if (given[name] !== undefined) updates[name] = toStoredJson(given[name], name) as Record<string, unknown>;
  }
  return updates;
}

/** The same for a checkpoint. */
export function toStoredCheckpoint({ chatId, name, messageId }: NewCheckpointData): NewCheckpointData {
  return { chatId, name, messageId };
}
