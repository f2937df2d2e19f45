/** Text as UTF-8 without a byte order mark, from UTF-8 or UTF-16. */
import { isUtf8 } from 'node:buffer';
import { UnreadableError } from './unreadable.js';

/** JSON starts with an ASCII character: in UTF-16, a zero byte is next to it. */
function encodingOf(start: Uint8Array): { name: 'utf-8' | 'utf-16le' | 'utf-16be'; mark: number } {
  const [first, second, third] = start;
  if (first === 0xff && second === 0xfe) return { name: 'utf-16le', mark: 2 };
  if (first === 0xfe && second === 0xff) return { name: 'utf-16be', mark: 2 };
  if (first === 0xef && second === 0xbb && third === 0xbf) return { name: 'utf-8', mark: 3 };
  if (first !== 0 && second === 0) return { name: 'utf-16le', mark: 0 };
  if (first === 0 && second !== 0) return { name: 'utf-16be', mark: 0 };
  return { name: 'utf-8', mark: 0 };
}

/** @throws UnreadableError at the first byte that is not UTF-8 */
export async function* asUtf8(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const checked = new CheckedUtf8();
  let start = Buffer.alloc(0);
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  let isKnown = false;
  for await (const chunk of bytes) {
    let piece = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (!isKnown) {
      start = Buffer.concat([start, piece]);
      if (start.length < 3) continue;
      isKnown = true;
      decoder = decoderOf(start);
      checked.skip(start.length - withoutMark(start).length);
      piece = withoutMark(start);
    }
    yield decoder === null ? checked.next(piece) : Buffer.from(decoder.decode(piece, { stream: true }));
  }
  if (!isKnown) {
    decoder = decoderOf(start);
    start = withoutMark(start);
    yield decoder === null ? start : Buffer.from(decoder.decode(start));
    return;
  }
  // A text that ends within a character breaks off, which the parser reports.
  yield decoder === null ? checked.rest : Buffer.from(decoder.decode());
}

/** Checks UTF-8 in pieces that can end within a character. */
class CheckedUtf8 {
  #offset = 0;
  /** The beginning of a character at the end of the last piece. */
  #rest: Buffer = Buffer.alloc(0);

  get rest(): Buffer {
    return this.#rest;
  }

  /** Counts bytes that are not checked. */
  skip(bytes: number): void {
    this.#offset += bytes;
  }

  /** @returns the complete characters */
  next(piece: Buffer): Buffer {
    const text = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const end = text.length - incompleteBytes(text);
    const complete = text.subarray(0, end);
    if (!isUtf8(complete)) {
      const at = firstInvalid(complete);
      const byte = (complete[at] ?? 0).toString(16).toUpperCase().padStart(2, '0');
      throw new UnreadableError(`it is not valid UTF-8: byte 0x${byte} at offset ${this.#offset + at}`);
    }
    this.#offset += end;
    this.#rest = Buffer.from(text.subarray(end));
    return complete;
  }
}

/** Bytes of a character at the end of a text, if bytes of it are missing. */
function incompleteBytes(text: Uint8Array): number {
  for (let count = 1; count <= Math.min(3, text.length); count++) {
    const byte = text[text.length - count] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    return lengthOf(byte) > count ? count : 0;
  }
  return 0;
}

/** Bytes of the character that begins with a byte. */
function lengthOf(byte: number): number {
  if (byte < 0x80) return 1;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/** The position of the first character that is not valid. */
function firstInvalid(text: Buffer): number {
  // Halve the part that is not valid, down to a few characters.
  let [start, end] = [0, text.length];
  while (end - start > 16) {
    let middle = start + Math.floor((end - start) / 2);
    while (middle > start && ((text[middle] ?? 0) & 0xc0) === 0x80) middle--;
    if (middle === start) break;
    if (isUtf8(text.subarray(start, middle))) start = middle;
    else end = middle;
  }
  for (let at = start; at < text.length;) {
    const next = at + lengthOf(text[at] ?? 0);
    if (next > text.length || !isUtf8(text.subarray(at, next))) return at;
    at = next;
  }
  return start;
}

function decoderOf(start: Uint8Array): InstanceType<typeof TextDecoder> | null {
  const { name } = encodingOf(start);
  return name === 'utf-8' ? null : new TextDecoder(name, { ignoreBOM: true });
}

function withoutMark(start: Buffer): Buffer<ArrayBuffer> {
  return Buffer.from(start.subarray(encodingOf(start).mark));
}
