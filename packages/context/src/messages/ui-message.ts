/** Messages of the AI SDK's chats (UIMessage of versions 5, 6 and 7), as far as the library reads them. */
import { isRecord } from '../record.js';

export interface UIMessage {
  id: string;
  role: 'system' | 'user' | 'assistant';
  parts: UIMessagePart[];
  metadata?: unknown;
}

/** Text, reasoning, a tool call, a file, or any other part with a type. */
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

/** A message with this text. The role is the message's name: other systems have more roles than the AI SDK. */
export function textMessage(id: string, name: string, text: string): unknown {
  return { id, role: name, parts: [{ type: 'text', text }] };
}

/**
 * The text of a message that equals the result of `textMessage` for this id and name; null for any other. It is sent as
 * text, so that the graph inserts the final id.
 */
export function textOf(message: unknown, id: string, name: string): string | null {
  if (!isRecord(message) || Object.keys(message).length !== 3) return null;
  if (message['id'] !== id || message['role'] !== name || !Array.isArray(message['parts'])) return null;
  const [part, ...others] = message['parts'] as unknown[];
  if (others.length > 0 || !isRecord(part) || Object.keys(part).length !== 2) return null;
  return part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : null;
}

/**
 * The messages that models accept: without UIMessages that have no parts, or only empty texts. Those are stored all the
 * same.
 */
export function withParts(messages: readonly unknown[]): unknown[] {
  return messages.filter((message) => !isUIMessage(message) || !message.parts.every(isEmptyText));
}

function isEmptyText({ type, text }: UIMessagePart): boolean {
  return (type === 'text' || type === 'reasoning') && text === '';
}
