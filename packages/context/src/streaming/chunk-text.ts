import { invalid } from '../errors.js';

/** A chunk as JSON. */
export interface ChunkText {
  json: string;
  /** In UTF-8. */
  bytes: number;
}

/** Escapes that no database stores: U+0000, and lone surrogates, where a stream was cut within a character. */
const UNSTORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][\da-f]{2})/g;
const encoder = new TextEncoder();

/**
 * A value as JSON that can be stored, with U+FFFD in place of other characters.
 * @throws ContextError
 */
export function storableJson(value: unknown, what: string): string {
  const text = jsonOf(value, what);
  // Repeated, because unstorable escapes can follow each other.
  return text.includes('\\u') ? text.replace(UNSTORABLE, '$1\ufffd').replace(UNSTORABLE, '$1\ufffd') : text;
}

export function chunkText(chunk: unknown, place: number): ChunkText {
  const json = storableJson(chunk, `chunk ${place}`);
  return { json, bytes: encoder.encode(json).length };
}

function jsonOf(value: unknown, what: string): string {
  try {
    // undefined has no JSON text.
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined && text !== 'null') return text;
  } catch (error) {
    throw invalid(`${what} cannot be stored: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw invalid(`${what} cannot be stored: it is nothing that JSON has`);
}
