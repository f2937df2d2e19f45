/** Text as UTF-8 without a byte order mark, from UTF-8, UTF-16, or the encoding that its bytes suggest. */
import { isAscii, isUtf8 } from 'node:buffer';
import { UnreadableError } from '../file-values.js';
import { analyse } from 'chardet';

/** The encoding of a text that is not UTF-8, such as windows-1252 or Shift_JIS, by the frequency of its characters. */
interface DetectedEncoding {
  /** The label of a TextDecoder. */
  readonly name: string;
  /** In percent. */
  readonly confidence: number;
}

/** Bytes that are not ASCII; fewer do not tell languages apart. */
const MIN_BYTES = 16;
/** Encodings whose characters have several bytes, which few texts in other encodings match. */
const WIDE = /^(?:Shift_JIS|EUC-|GB|Big5)/;
/** The least confidence, and the greatest share of it that an encoding with another result may have. */
const SURE_IF = { wide: { least: 90, others: 0.8 }, narrow: { least: 40, others: 0.5 } };
/** Accented capitals within words, and three accented Latin letters in a row, result from a wrong encoding. */
const WRONG_LETTERS = /\p{Ll}(?=[^\0-\x7f])\p{Lu}|(?:(?=[^\0-\x7f])\p{sc=Latin}){3}/u;
const SYMBOLS = /(?![\0-\x7f€£©®°™])[\p{S}\p{No}\p{C}]/gu;
/** At most one in so many characters outside of ASCII may be such a symbol. */
const LETTERS_PER_SYMBOL = 10;

/**
 * @param sample text of JSON or HTML, from its first byte that is not ASCII
 * @returns null below a high confidence, and for UTF-8 with damaged characters
 */
function detectedEncoding(sample: Buffer): DetectedEncoding | null {
  // English keys would count as words of the language. No encoding has these two bytes within a character.
  const lines = sample.toString('latin1').split(/["\n]/);
  const text = Buffer.from(lines.filter((line) => /[\x80-\xff]/.test(line)).join('\n'), 'latin1');
  if (text.filter((byte) => byte >= 0x80).length < MIN_BYTES || isDamagedUtf8(text)) return null;
  const found = analyse(text).flatMap(({ name, confidence }) => {
    const decoded = decodedAs(name, text);
    return decoded === null ? [] : [{ name, confidence, decoded }];
  });
  const [best] = found;
  if (best === undefined) return null;
  const { name, confidence, decoded } = best;
  const isWide = WIDE.test(name);
  const { least, others } = SURE_IF[isWide ? 'wide' : 'narrow'];
  const next = found.find((each) => each.decoded !== decoded)?.confidence ?? 0;
  const isSure = confidence >= least && next <= confidence * others;
  const isPlausible = (isWide || !WRONG_LETTERS.test(decoded)) && hasFewSymbols(decoded);
  return isSure && isPlausible ? { name: new TextDecoder(name).encoding, confidence } : null;
}

function isDamagedUtf8(text: Buffer): boolean {
  const decoded = text.toString();
  const count = (of: RegExp) => decoded.match(of)?.length ?? 0;
  return count(/[^\0-\x7f\ufffd]/gu) >= count(/\ufffd/g);
}

/** Null when bytes are not valid in the encoding, or the platform does not have it. */
function decodedAs(name: string, text: Buffer): string | null {
  try {
    // Streamed, because some versions of Node decode a whole text in windows-1252 as Latin-1.
    return new TextDecoder(name, { fatal: true }).decode(text, { stream: true });
  } catch {
    return null;
  }
}

function hasFewSymbols(text: string): boolean {
  const [symbols, characters] = [SYMBOLS, /[^\0-\x7f]/gu].map((each) => text.match(each)?.length ?? 0);
  return (symbols ?? 0) * LETTERS_PER_SYMBOL <= (characters ?? 0);
}

/** Bytes from the first one that is not ASCII, which decide between UTF-8 and another encoding. */
const SAMPLE_BYTES = 64 * 1024;
const EMPTY = Buffer.alloc(0);

/** Null without a mark. JSON starts with an ASCII character: in UTF-16, a zero byte is next to it. */
function encodingOf(start: Uint8Array): { name: string | null; mark: number } {
  const [first, second, third] = start;
  if (first === 0xff && second === 0xfe) return { name: 'utf-16le', mark: 2 };
  if (first === 0xfe && second === 0xff) return { name: 'utf-16be', mark: 2 };
  if (first === 0xef && second === 0xbb && third === 0xbf) return { name: 'utf-8', mark: 3 };
  if (first !== 0 && second === 0) return { name: 'utf-16le', mark: 0 };
  if (first === 0 && second !== 0) return { name: 'utf-16be', mark: 0 };
  return { name: null, mark: 0 };
}

/** Converts pieces of a text, which can end within a character. */
interface PieceDecoder {
  /** @throws UnreadableError after the valid text before a byte that is not valid */
  next(piece: Buffer): Iterable<Buffer>;
  end(): Iterable<Buffer>;
}

/**
 * @param onDetected called with a sentence when the encoding is not certain
 * @throws UnreadableError at the first byte that is not UTF-8, after the text before it, unless another encoding is probable
 */
export async function* asUtf8(
  bytes: AsyncIterable<Uint8Array>,
  onDetected: (sentence: string) => void = () => {},
): AsyncGenerator<Buffer> {
  let start: Buffer = EMPTY;
  let decoder: PieceDecoder | null = null;
  const begin = (): [PieceDecoder, Buffer] => {
    const { name, mark } = encodingOf(start);
    const begun =
      name === null ? new UnmarkedText(onDetected) : name === 'utf-8' ? new CheckedUtf8(mark) : new OtherText(name);
    return [begun, start.subarray(mark)];
  };
  for await (const chunk of bytes) {
    let piece: Buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (decoder === null) {
      start = Buffer.concat([start, piece]);
      if (start.length < 3) continue;
      [decoder, piece] = begin();
    }
    yield* decoder.next(piece);
  }
  if (decoder === null) {
    const [begun, rest] = begin();
    decoder = begun;
    yield* decoder.next(rest);
  }
  yield* decoder.end();
}

/** Text in an encoding of TextDecoder. */
class OtherText implements PieceDecoder {
  readonly #decoder: InstanceType<typeof TextDecoder>;

  /** @param fault the error at bytes that are not valid in it; by default, U+FFFD replaces them */
  constructor(
    name: string,
    private readonly fault: UnreadableError | null = null,
  ) {
    this.#decoder = new TextDecoder(name, { ignoreBOM: true, fatal: fault !== null });
  }

  next = (piece: Buffer) => [this.#decoded(() => this.#decoder.decode(piece, { stream: true }))];
  end = () => [this.#decoded(() => this.#decoder.decode())];

  #decoded(decode: () => string): Buffer {
    try {
      return Buffer.from(decode());
    } catch (error) {
      throw this.fault ?? error;
    }
  }
}

/** Text without a byte order mark: a sample from its first byte that is not ASCII decides its encoding. */
class UnmarkedText implements PieceDecoder {
  #decoder: PieceDecoder | null = null;
  readonly #held: Buffer[] = [];
  /** Bytes before the held ones, and held ones since the first that is not ASCII. */
  #offset = 0;
  #sampled = 0;

  constructor(private readonly onDetected: (sentence: string) => void) {}

  *next(piece: Buffer): Generator<Buffer> {
    if (this.#decoder !== null) {
      yield* this.#decoder.next(piece);
    } else if (this.#held.length === 0 && isAscii(piece)) {
      this.#offset += piece.length;
      yield piece;
    } else {
      this.#sampled += piece.length - (this.#held.length === 0 ? piece.findIndex((byte) => byte >= 0x80) : 0);
      this.#held.push(piece);
      if (this.#sampled >= SAMPLE_BYTES) yield* this.#decide();
    }
  }

  *end(): Generator<Buffer> {
    if (this.#held.length > 0) yield* this.#decide();
    if (this.#decoder !== null) yield* this.#decoder.end();
  }

  *#decide(): Generator<Buffer> {
    const held = Buffer.concat(this.#held.splice(0));
    const fault = new CheckedUtf8(this.#offset).faultIn(held);
    const sample = held.subarray(held.findIndex((byte) => byte >= 0x80)).subarray(0, SAMPLE_BYTES);
    const detected = fault === null ? null : detectedEncoding(sample);
    if (fault === null || detected === null) this.#decoder = new CheckedUtf8(this.#offset);
    else {
      const { name, confidence } = detected;
      const both = `${fault.message}, nor ${name}, which its bytes suggest`;
      this.#decoder = new OtherText(name, new UnreadableError(both));
      this.onDetected(
        `${fault.message}; its bytes suggest ${name}, with a confidence of ${confidence} %, which was used`,
      );
    }
    yield* this.#decoder.next(held);
  }
}

class CheckedUtf8 implements PieceDecoder {
  #offset: number;
  /** The beginning of a character at the end of the last piece. */
  #rest: Buffer = EMPTY;

  /** @param offset bytes before the first piece */
  constructor(offset: number) {
    this.#offset = offset;
  }

  /** The error for the next piece; null if it is valid. */
  faultIn(piece: Buffer): UnreadableError | null {
    const complete = piece.subarray(0, piece.length - incompleteBytes(piece));
    return isUtf8(complete) ? null : this.#faultAt(complete, firstInvalid(complete));
  }

  *next(piece: Buffer): Generator<Buffer> {
    const text = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const end = text.length - incompleteBytes(text);
    const complete = text.subarray(0, end);
    if (!isUtf8(complete)) {
      const at = firstInvalid(complete);
      yield complete.subarray(0, at);
      throw this.#faultAt(complete, at);
    }
    this.#offset += end;
    this.#rest = Buffer.from(text.subarray(end));
    yield complete;
  }

  // A text that ends within a character breaks off, which the parser reports.
  end = () => [this.#rest];

  #faultAt(text: Buffer, at: number): UnreadableError {
    const byte = (text[at] ?? 0).toString(16).toUpperCase().padStart(2, '0');
    return new UnreadableError(`it is not valid UTF-8: byte 0x${byte} at offset ${this.#offset + at}`);
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
