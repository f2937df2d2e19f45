/** The messages of the AI SDK's chats (UIMessage of versions 5, 6 and 7), as far as a conversation needs to know them. */
import { isRecord } from '../record.js';

export interface UIMessage {
  id: string;
  role: 'system' | 'user' | 'assistant';
  parts: UIMessagePart[];
  metadata?: unknown;
}

/** Text, reasoning, a tool call, a file, or whatever else has a type. */
export interface UIMessagePart {
  type: string;
  [key: string]: unknown;
}

/** Whether a value is a UIMessage: an id, a role and parts that each have a type. */
export function isUIMessage(value: unknown): value is UIMessage {
  return (
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    (value['role'] === 'system' || value['role'] === 'user' || value['role'] === 'assistant') &&
    Array.isArray(value['parts']) &&
    value['parts'].every((part) => isRecord(part) && typeof part['type'] === 'string')
  );
}

/** A message with this text. The role is the message's name, which other systems' messages may have of their own. */
export function textMessage(id: string, name: string, text: string): unknown {
  return { id, role: name, parts: [{ type: 'text', text }] };
}

/**
 * The text of a message that is nothing but what `textMessage` writes for this id and name; null for any other. Such a one
 * is sent as text, so that the graph puts in the id under which it is saved in the end.
 */
export function textOf(message: unknown, id: string, name: string): string | null {
  if (!isRecord(message) || Object.keys(message).length !== 3) return null;
  if (message['id'] !== id || message['role'] !== name || !Array.isArray(message['parts'])) return null;
  const [part, ...others] = message['parts'] as unknown[];
  if (others.length > 0 || !isRecord(part) || Object.keys(part).length !== 2) return null;
  return part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : null;
}

/**
 * Those of which a model can be told: a UIMessage without parts, as a stream leaves it that is broken off before it begins, or
 * with nothing but empty texts, as conversations of other systems have them, is kept, but models are not called with it.
 */
export function withParts(messages: readonly unknown[]): unknown[] {
  return messages.filter((message) => !isUIMessage(message) || !message.parts.every(isEmptyText));
}

/** Whether a part is more than the beginning of a step or of a text. */
export function hasContent(part: UIMessagePart): boolean {
  return part.type !== 'step-start' && !isEmptyText(part);
}

function isEmptyText({ type, text }: UIMessagePart): boolean {
  return (type === 'text' || type === 'reasoning') && text === '';
}
