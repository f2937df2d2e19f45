/** The farthest time that a JavaScript Date, and so GraphQL's DateTime, can tell: milliseconds since 1970. */
const MAX_TIME_MS = 8.64e15;

/** Float seconds since 1970 as whole milliseconds; null for what is no time between 1970 and the end of Date. */
export function secondsToMs(seconds: unknown): number | null {
  return typeof seconds === 'number' ? savedTime(Math.round(seconds * 1000)) : null;
}

/** An ISO 8601 date as milliseconds since 1970; null for anything else. */
export function isoToMs(text: unknown): number | null {
  return typeof text === 'string' ? savedTime(Date.parse(text)) : null;
}

function savedTime(ms: number): number | null {
  return ms >= 0 && ms <= MAX_TIME_MS ? ms : null;
}
