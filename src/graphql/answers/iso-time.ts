let lastTime = Number.NaN;
let lastText = '';

/**
 * The RFC 3339 text of a time in milliseconds since 1970. Keeps the last result: messages of one save share their time,
 * and formatting it costs several times an id.
 */
export function isoTime(milliseconds: number): string {
  if (milliseconds !== lastTime) {
    lastText = new Date(milliseconds).toISOString();
    lastTime = milliseconds;
  }
  return lastText;
}

const DATE = String.raw`(?<date>(?:\d{4}|[+-]\d{6})-\d\d-\d\d)`;
const TIME = String.raw`(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?`;
const RFC_3339 = new RegExp(String.raw`^${DATE}T${TIME}(?:Z|[+-]\d\d:\d\d)$`);

/**
 * The time of an RFC 3339 text in milliseconds since 1970, truncated.
 * @returns null for an invalid text or date
 */
export function timeOf(text: string): number | null {
  const date = RFC_3339.exec(text)?.groups?.['date'];
  const day = Date.parse(`${date}T00:00:00Z`);
  // Date reads the 30th of February as the 2nd of March.
  if (date === undefined || Number.isNaN(day) || !new Date(day).toISOString().startsWith(date)) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
}
