/** Estimates the memory of parsed JSON from its bytes: `{},` has three bytes, and takes some sixty in the heap. */

/**
 * Upper estimates for V8: an object or array; an element; a member, whose name may be unique; a text besides its
 * characters.
 */
const BYTES_PER_OBJECT = 64;
const BYTES_PER_ELEMENT = 24;
const BYTES_PER_MEMBER = 64;
const BYTES_PER_TEXT = 24;

const [QUOTE, BACKSLASH, COMMA, COLON, BRACKET, BRACE] = [...'"\\,:[{'].map((character) => character.charCodeAt(0));

/** @param json in UTF-8 */
export function parsedSize(json: Uint8Array): number {
  let bytes = json.length;
  for (let n = 0; n < json.length; n++) {
    const code = json[n];
    if (code === QUOTE) {
      bytes += BYTES_PER_TEXT;
      // To the end of the text, including escapes.
      for (n++; n < json.length && json[n] !== QUOTE; n++) if (json[n] === BACKSLASH) n++;
    } else if (code === COLON) bytes += BYTES_PER_MEMBER;
    else if (code === COMMA) bytes += BYTES_PER_ELEMENT;
    else if (code === BRACE || code === BRACKET) bytes += BYTES_PER_OBJECT;
  }
  return bytes;
}
