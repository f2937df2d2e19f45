/** The content of a message for formats of other programs: a role, texts, thoughts, calls of tools and images. */
import type { WrittenMessage } from './written-chat.js';
import { isJsonObject, type JsonObject } from '../file-values.js';

export interface PortableMessage {
  role: 'user' | 'assistant' | 'system';
  text: string;
  /** Whether the message is for the model alone, such as ChatGPT's custom instructions. */
  isHidden: boolean;
  /** The model that wrote it, where the message or its original names one. */
  model: string | null;
  parts: readonly PortablePart[];
}

/** A part in the order of the message. */
export type PortablePart =
  | { kind: 'text'; text: string }
  | { kind: 'thoughts'; text: string }
  | { kind: 'image'; url: string; name: string; mediaType: string }
  | { kind: 'call'; id: string; name: string; input: unknown; output: unknown };

export function portableMessage({ name, data }: Pick<WrittenMessage, 'name' | 'data'>): PortableMessage {
  const value: unknown = JSON.parse(data);
  const message = isJsonObject(value) ? value : {};
  const { role, metadata } = message;
  const writer = role === 'user' || role === 'system' || role === 'assistant' ? role : name;
  const parts = message['parts'] ?? message['content'];
  const text = messageText(value);
  return {
    role: writer === 'user' || writer === 'system' ? writer : 'assistant',
    text,
    isHidden: isJsonObject(metadata) && metadata['hidden'] === true,
    model: modelIn(metadata),
    parts: Array.isArray(parts) ? parts.filter(isJsonObject).flatMap(partOf) : textPart('text', text),
  };
}

/** Readers keep the original message, in which each format has its own member. */
function modelIn(metadata: unknown): string | null {
  const { original, model } = objectOf(metadata);
  const { metadata: details, message, model: own } = objectOf(original);
  const names = [model, own, objectOf(details)['model_slug'], objectOf(message)['model']];
  return names.find((name): name is string => typeof name === 'string' && name !== '') ?? null;
}

function partOf(part: JsonObject): PortablePart[] {
  const { type, text, url, mediaType, filename, toolCallId, toolName, input, output, errorText, data } = part;
  if (type === 'text') return textPart('text', text);
  if (type === 'reasoning') return textPart('thoughts', text);
  if (type === 'data-tool-call') {
    const call = objectOf(data);
    return callPart(call['toolCallId'], call['toolName'], call['input'], undefined);
  }
  if (type === 'file' && typeof mediaType === 'string' && mediaType.startsWith('image/')) {
    if (typeof url !== 'string' || !/^(?:https?|data):/.test(url)) return [];
    return [{ kind: 'image', url, mediaType, name: typeof filename === 'string' ? filename : 'image' }];
  }
  if (typeof type !== 'string' || !(type === 'dynamic-tool' || type.startsWith('tool-'))) return [];
  return callPart(toolCallId, toolName ?? type.slice('tool-'.length), input, output ?? errorText);
}

function textPart(kind: 'text' | 'thoughts', text: unknown): PortablePart[] {
  return typeof text === 'string' && text !== '' ? [{ kind, text }] : [];
}

function callPart(id: unknown, name: unknown, input: unknown, output: unknown): PortablePart[] {
  if (typeof id !== 'string' || typeof name !== 'string') return [];
  return [{ kind: 'call', id, name, input: input ?? {}, output }];
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Data outside of messages that every format except Parley's own loses. */
export const LOSSES_AROUND = [
  'branches by name, checkpoints, and which branch is active but for its last message',
  'the log, and the users who saved messages',
  'metadata of chats and messages',
];

/** Losses of formats without a member for hidden messages. */
export const HIDDEN_LOSS = 'hidden messages';

/** Losses of formats that contain only texts. */
export const TEXT_LOSSES = [...LOSSES_AROUND, 'parts of messages other than text: tool calls, files, thoughts'];

/** Losses of formats of chat programs with members for thoughts, tool calls and images. */
export const PROGRAM_LOSSES = [
  ...LOSSES_AROUND,
  HIDDEN_LOSS,
  'messages without text, thoughts, tool calls and images',
  'other parts of messages: files that are not images, sources, data',
];

export function seconds(time: number): number {
  return time / 1000;
}

export function iso(time: number): string {
  return new Date(time).toISOString();
}

/**
 * The plain text of a message's data: a string itself, or the text parts of a UI message (`parts`) or of a model
 * message (`content`) joined by a blank line; '' for data without text. The server's search reads the same text.
 */
export function messageText(data: unknown): string {
  if (typeof data === 'string') return data;
  if (!isJsonObject(data)) return '';
  const parts = data['parts'] ?? data['content'];
  if (typeof parts === 'string') return parts;
  if (!Array.isArray(parts)) return '';
  return parts
    .filter(isTextPart)
    .map((part) => part.text)
    .join('\n\n');
}

function isTextPart(part: unknown): part is { text: string } {
  return isJsonObject(part) && part['type'] === 'text' && typeof part['text'] === 'string';
}
