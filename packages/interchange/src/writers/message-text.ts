import { isJsonObject } from '../json-object.js';

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
