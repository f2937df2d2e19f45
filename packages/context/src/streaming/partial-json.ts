/** Reads the beginning of a JSON text: the input of a tool call while it is streamed. */

const TOKEN =
  /\s*(?:(?<string>"(?:[^"\\]|\\u[\da-f]{4}|\\[^u])*)(?<end>"?)|(?<number>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)|(?<literal>[a-z]+)|(?<mark>[[\]{},:]))/iy;
const LITERALS = ['true', 'false', 'null'];

/** The value so far, without an incomplete member or number; undefined before the first value. */
export function parsePartialJson(text: string): unknown {
  return parsed(text) ?? parsed(completed(text));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A text up to the last complete value in it, with all open brackets closed. */
function completed(text: string): string {
  const open: string[] = [];
  // Within an object, whether a name follows.
  let isName = false;
  let whole = '';
  TOKEN.lastIndex = 0;
  for (let end = 0; ; end = TOKEN.lastIndex) {
    TOKEN.lastIndex = end;
    const { string, end: quote, number, literal, mark } = TOKEN.exec(text)?.groups ?? {};
    const isInObject = open.at(-1) === '}';
    let value: string | undefined;
    if (mark === '{' || mark === '[') {
      open.push(mark === '{' ? '}' : ']');
      isName = mark === '{';
      value = '';
    } else if (mark === '}' || mark === ']') {
      open.pop();
      value = '';
    } else if (mark !== undefined) {
      isName = mark === ',' && isInObject;
    } else if (string !== undefined) {
      if (!isName) value = quote === '' ? '"' : '';
    } else if (literal !== undefined) {
      value = LITERALS.find((each) => each.startsWith(literal))?.slice(literal.length);
    } else if (number !== undefined) {
      value = '';
    } else {
      return whole;
    }
    if (value !== undefined) whole = text.slice(0, TOKEN.lastIndex) + value + open.toReversed().join('');
  }
}
