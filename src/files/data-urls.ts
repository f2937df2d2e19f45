/** Data URLs in the data of messages, which become files. */
import { createHash } from 'node:crypto';
import { stringsIn } from '../conversation/files/file-references.js';
import { isJsonObject } from '../conversation/text/merge-patch.js';
import { mediaTypeOf } from './media-types.js';

/** Characters of a data URL that stays in the message. */
export const MAX_DATA_URL_LENGTH = 8 * 1024;

const DATA_URL = /^data:([^;,]*)((?:;[^;,]*)*);base64,/i;

export interface DataUrl {
  /** The whole URL, as the data has it. */
  url: string;
  mediaType: string | null;
  content: Buffer;
  sha256: string;
}

/** The beginning of a long data URL, up to its content; null for another text. */
const beginningOf = (text: string) => (text.length > MAX_DATA_URL_LENGTH ? DATA_URL.exec(text.slice(0, 1024)) : null);

/** A quick test, without decoding. */
export function hasLongDataUrls(data: unknown): boolean {
  for (const { value } of stringsIn(data)) if (beginningOf(value) !== null) return true;
  return false;
}

/** The long data URLs of a value, each once. Other encodings than base64, and broken ones, stay as they are. */
export function longDataUrls(data: unknown): DataUrl[] {
  const found = new Map<string, DataUrl>();
  for (const { value: url } of stringsIn(data)) {
    const match = beginningOf(url);
    if (match === null || found.has(url)) continue;
    const text = url.slice(match[0].length);
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) continue;
    const content = Buffer.from(text, 'base64');
    const sha256 = createHash('sha256').update(content).digest('hex');
    found.set(url, { url, mediaType: mediaTypeOf(match[1] ?? ''), content, sha256 });
  }
  return [...found.values()];
}

/** A copy of a value in which some strings are replaced, except texts of parts. */
export function withReplaced(root: unknown, replacements: ReadonlyMap<string, string>): unknown {
  const replaced = (value: unknown): unknown => {
    if (typeof value === 'string') return replacements.get(value) ?? value;
    if (Array.isArray(value)) return value.map(replaced);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, key === 'text' ? member : replaced(member)]),
    );
  };
  return replaced(root);
}
