/** Chunks of a draft: any JSON, interpreted only to join their text. */
import { checkJson, MAX_DATA_BYTES } from '../../conversation/bounds.js';
import { InvalidInputError } from '../../conversation/errors.js';
import { checkEach } from '../../conversation/input-problems.js';
import { isJsonObject } from '../../conversation/text/merge-patch.js';
import { MAX_BYTES_PER_APPEND, MAX_CHUNKS_PER_APPEND } from './draft.js';

/**
 * Checks the chunks of an append.
 * @returns each as JSON
 * @throws InvalidInputError
 */
export function checkChunks(chunks: readonly unknown[]): string[] {
  if (chunks.length > MAX_CHUNKS_PER_APPEND) {
    throw new InvalidInputError(
      `chunks must have 0 to ${MAX_CHUNKS_PER_APPEND} elements, not ${chunks.length}`,
      'chunks',
    );
  }
  const texts = checkEach(chunks, (chunk, n) => {
    if (chunk == null) throw new InvalidInputError(`chunks.${n} must not be null`, `chunks.${n}`);
    return checkJson(chunk, `chunks.${n}`, MAX_BYTES_PER_APPEND);
  });
  const bytes = bytesOf(texts);
  if (bytes > MAX_BYTES_PER_APPEND) {
    throw new InvalidInputError(
      `chunks must have at most ${MAX_BYTES_PER_APPEND} bytes as JSON, not ${bytes}: send them in several appends`,
      'chunks',
    );
  }
  return texts;
}

/** The size of chunks in a JSON array, separators included, in bytes. */
export function bytesOf(texts: readonly string[]): number {
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text) + 1, 0);
}

/** Chunk types of the AI SDK's UI message stream without visible content. */
const TYPES_WITHOUT_CONTENT: ReadonlySet<unknown> = new Set([
  'start',
  'start-step',
  'finish-step',
  'finish',
  'abort',
  'error',
  'message-metadata',
  'text-start',
  'text-end',
  'reasoning-start',
  'reasoning-end',
]);

/** Whether chunks have visible content: text that is not empty, or an object that is more than a step marker. */
export function haveContent(chunks: readonly unknown[]): boolean {
  return chunks.some((chunk) =>
    isJsonObject(chunk) ? !TYPES_WITHOUT_CONTENT.has(chunk['type']) : typeof chunk === 'string' && chunk !== '',
  );
}

/** The joined text of chunks: strings, and text deltas of the AI SDK's UI message stream (5 and 6). */
export function textOf(chunks: readonly unknown[]): string {
  return chunks.map(textOfChunk).join('');
}

function textOfChunk(chunk: unknown): string {
  if (typeof chunk === 'string') return chunk;
  if (!isJsonObject(chunk) || chunk['type'] !== 'text-delta') return '';
  return typeof chunk['delta'] === 'string' ? chunk['delta'] : '';
}

/** The longest prefix of a text that fits into a message after JSON escaping. */
export function withinMessage(text: string): string {
  let [end, bytes] = [0, 2];
  for (const character of text) {
    bytes += Buffer.byteLength(JSON.stringify(character)) - 2;
    if (bytes > MAX_DATA_BYTES) return text.slice(0, end);
    end += character.length;
  }
  return text;
}
