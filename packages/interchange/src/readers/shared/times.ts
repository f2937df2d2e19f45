/** The farthest time that a JavaScript Date, and so GraphQL's DateTime, can tell: milliseconds since 1970. */
const MAX_TIME_MS = 8.64e15;
/** As milliseconds a time in 1973, as seconds one in the year 5138: what is more is milliseconds. */
const FIRST_MS = 1e11;
/** The same between milliseconds and microseconds, and between those and nanoseconds. */
const FIRST_US = 1e14;
const FIRST_NS = 1e17;

/** Float seconds since 1970 as whole milliseconds; null for what is no time between 1970 and the end of Date. */
export function secondsToMs(seconds: unknown): number | null {
  return typeof seconds === 'number' ? savedTime(Math.round(seconds * 1000)) : null;
}

/** An ISO 8601 date as milliseconds since 1970; null for anything else. */
export function isoToMs(text: unknown): number | null {
  return typeof text === 'string' ? savedTime(Date.parse(text)) : null;
}

/** A time in any unit and form: formats of many authors have seconds here and milliseconds or dates there. */
export function anyToMs(time: unknown): number | null {
  if (typeof time === 'string') {
    return /^\d+(\.\d+)?$/.test(time) ? anyToMs(Number(time)) : isoToMs(time);
  }
  if (typeof time !== 'number' || time <= 0) return null;
  if (time < FIRST_MS) return secondsToMs(time);
  return savedTime(Math.round(time < FIRST_US ? time : time < FIRST_NS ? time / 1e3 : time / 1e6));
}

function savedTime(ms: number): number | null {
  return ms >= 0 && ms <= MAX_TIME_MS ? ms : null;
}
