let lastTime = Number.NaN;
let lastText = '';

/**
 * The RFC 3339 text of a time in milliseconds since 1970.
 *
 * Remembers the last one: messages of one save share their time, and writing it costs several times what an id costs.
 */
export function isoTime(milliseconds: number): string {
  if (milliseconds !== lastTime) {
    lastText = new Date(milliseconds).toISOString();
    lastTime = milliseconds;
  }
  return lastText;
}
