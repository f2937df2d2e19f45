import { invalid } from '../errors.js';

/** A chunk as it is sent. */
export interface ChunkText {
  json: string;
  /** In UTF-8. */
  bytes: number;
}

/** What JSON escapes and no database keeps: U+0000, and halves of characters, which a stream may have cut in two. */
const UNSTORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][\da-f]{2})/g;
const encoder = new TextEncoder();

/**
 * A value as JSON that can be kept: as a browser is sent it, with U+FFFD in place of what cannot.
 * @throws ContextError
 */
export function storableJson(value: unknown, what: string): string {
  const text = jsonOf(value, what);
  // As often as they follow each other.
  return text.includes('\\u') ? text.replace(UNSTORABLE, '$1\ufffd').replace(UNSTORABLE, '$1\ufffd') : text;
}

export function chunkText(chunk: unknown, place: number): ChunkText {
  const json = storableJson(chunk, `chunk ${place}`);
  return { json, bytes: encoder.encode(json).length };
}

function jsonOf(value: unknown, what: string): string {
  try {
    // undefined has no text at all.
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined && text !== 'null') return text;
  } catch (error) {
    throw invalid(`${what} cannot be stored: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw invalid(`${what} cannot be stored: it is nothing that JSON has`);
}
