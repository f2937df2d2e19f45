import { isJsonObject } from './merge-patch.js';

/**
 * The plain text of a message's data: a string, or the text parts of a UI message (`parts`) or model message
 * (`content`) joined by a blank line. '' for content without text.
 */
export function messageText(data: unknown): string {
  if (typeof data === 'string') return data;
  if (!isJsonObject(data)) return '';
  const parts = data['parts'] ?? data['content'];
  if (typeof parts === 'string') return parts;
  if (!Array.isArray(parts)) return '';
  const texts: string[] = [];
  for (const part of parts as readonly unknown[]) {
    if (isJsonObject(part) && part['type'] === 'text' && typeof part['text'] === 'string') texts.push(part['text']);
  }
  return texts.join('\n\n');
}

/** The text for summaries and search: '' for a hidden message, such as custom instructions of an import. */
export function shownText(data: unknown): string {
  return isHidden(data) ? '' : messageText(data);
}

export function isHidden(data: unknown): boolean {
  const metadata = isJsonObject(data) ? data['metadata'] : undefined;
  return isJsonObject(metadata) && metadata['hidden'] === true;
}

const PREVIEW_LENGTH = 50;

/** The first 50 code points of a text; longer text ends in `...`. */
export function messagePreview(text: string): string {
  // Twice the length in UTF-16 code units is always enough.
  const characters = Array.from(text.slice(0, 2 * (PREVIEW_LENGTH + 1)));
  if (characters.length <= PREVIEW_LENGTH) return text;
  return `${characters.slice(0, PREVIEW_LENGTH).join('')}...`;
}
