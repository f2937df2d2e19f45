/** The encoding of a text that is not UTF-8, such as windows-1252 or Shift_JIS, by the frequency of its characters. */
import { analyse } from 'chardet';

export interface DetectedEncoding {
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
/** Of all characters outside of ASCII, one in so many may be such a symbol. */
const LETTERS_PER_SYMBOL = 10;

/**
 * @param sample text of JSON or HTML, from its first byte that is not ASCII
 * @returns null below a high confidence, and for UTF-8 with damaged characters
 */
export function detectedEncoding(sample: Buffer): DetectedEncoding | null {
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
