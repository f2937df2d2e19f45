/** Describes the error of invalid JSON. */

/** Characters shown on each side of the error. */
const AROUND = 20;

/** @param error the error of JSON.parse for this text */
export function jsonFault(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  if (/end of JSON input|Unterminated string/.test(message)) return 'it is not JSON: it breaks off before its end';
  const at = positionOf(text, message);
  if (at === null) return 'it is not JSON';
  const around = text.slice(Math.max(0, at - AROUND), at + AROUND).replace(/\s+/g, ' ');
  return `it is not JSON: it goes wrong at character ${at + 1}, near ${JSON.stringify(around.toWellFormed())}`;
}

/** The position in V8's message: a number, or an excerpt of the text. */
function positionOf(text: string, message: string): number | null {
  const number = /at position (\d+)/.exec(message)?.[1];
  if (number !== undefined) return Number(number);
  // Unexpected token 'o', ..."apping": oops}" is not valid JSON
  const shown = /^Unexpected token '(.+?)', (?:\.\.\.)?"(.*?)"(?:\.\.\.)? is not valid JSON$/su.exec(message);
  const [, token, excerpt] = shown ?? [];
  if (token === undefined || excerpt === undefined) return null;
  const start = text.indexOf(excerpt);
  if (start === -1) return null;
  // The excerpt has ten characters before the token, or begins with the text.
  const within = excerpt.indexOf(token, Math.min(start === 0 ? 0 : 10, excerpt.length - 1));
  return within === -1 ? start : start + within;
}
