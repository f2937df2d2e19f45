/** Content of a message in addition to its text, for Markdown and HTML: images, and names of omitted parts. */
import type { WrittenMessage } from './written-chat.js';
import { isJsonObject } from '../file-values.js';
import { messageText } from './portable-message.js';

export interface Image {
  /** The content, in characters without a meaning in HTML. */
  url: string;
  name: string;
}

export interface BesideText {
  images: Image[];
  /** One name for each kind and tool, in the order of the parts: `thoughts`, `tool search`, `file photo.png`. */
  names: string[];
}

/** Images that every browser shows and that cannot contain scripts. */
const DRAWN = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/]*={0,2}$/;

/** @param showsImages whether the page can show images; otherwise they are among the names */
export function besideText({ data }: Pick<WrittenMessage, 'data'>, showsImages: boolean): BesideText {
  const value: unknown = JSON.parse(data);
  const list = isJsonObject(value) ? (value['parts'] ?? value['content']) : null;
  if (!Array.isArray(list)) return { images: [], names: messageText(value) === '' ? ['data'] : [] };
  const parts = (list as unknown[]).filter(isJsonObject);
  const images = new Map<unknown, Image>();
  for (const part of showsImages ? parts : []) {
    const { type, url, filename } = part;
    if (type === 'file' && typeof url === 'string' && DRAWN.test(url)) {
      images.set(part, { url, name: text(filename) ?? 'image' });
    }
  }
  const rest = parts.filter((part) => !images.has(part));
  return { images: [...images.values()], names: [...new Set(rest.flatMap(nameOf))] };
}

function nameOf(part: Record<string, unknown>): string[] {
  const type = text(part['type']) ?? '';
  if (type === 'text' || type === 'step-start') return [];
  if (type === 'reasoning') return ['thoughts'];
  if (type === 'file') return [`file ${text(part['filename']) ?? text(part['mediaType']) ?? ''}`.trim()];
  if (type.startsWith('source-')) return ['sources'];
  if (type === 'dynamic-tool') return [`tool ${text(part['toolName']) ?? ''}`.trim()];
  if (type.startsWith('tool-')) return [`tool ${type.slice('tool-'.length)}`];
  if (type === 'data-tool-call' && isJsonObject(part['data'])) {
    return [`call of ${text(part['data']['toolName']) ?? 'a tool'}`];
  }
  return [type.replace(/^data-/, '').slice(0, 100) || 'data'];
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, 100) : null;
}
