/** The latest time of a JavaScript Date, and so of GraphQL's DateTime, in milliseconds since 1970. */
const MAX_TIME_MS = 8.64e15;
/** In 1973 as milliseconds, in 5138 as seconds: larger numbers are milliseconds. */
const FIRST_MS = 1e11;
/** The same thresholds for microseconds and nanoseconds. */
const FIRST_US = 1e14;
const FIRST_NS = 1e17;

/** Seconds since 1970 as whole milliseconds; null outside 1970 to the end of Date. */
export function secondsToMs(seconds: unknown): number | null {
  return typeof seconds === 'number' ? savedTime(Math.round(seconds * 1000)) : null;
}

/** An ISO 8601 date as milliseconds since 1970; null for other values. */
export function isoToMs(text: unknown): number | null {
  return typeof text === 'string' ? savedTime(Date.parse(text)) : null;
}

/** A time in any unit or form: programs use seconds, milliseconds and dates for the same member. */
export function anyToMs(time: unknown): number | null {
  if (typeof time === 'string') {
    return /^\d+(\.\d+)?$/.test(time) ? anyToMs(Number(time)) : isoToMs(time);
  }
  if (typeof time !== 'number' || time <= 0) return null;
  if (time < FIRST_MS) return secondsToMs(time);
  return savedTime(Math.round(time < FIRST_US ? time : time < FIRST_NS ? time / 1e3 : time / 1e6));
}

/** The time of a message, as the file has it, under the names that programs give it. */
export function timeOf(message: Readonly<Record<string, unknown>>): unknown {
  const names = ['createdAt', 'created_at', 'create_time', 'created', 'timestamp', 'ts'];
  const name = names.find((each) => anyToMs(message[each]) !== null);
  return name === undefined ? undefined : message[name];
}

function savedTime(ms: number): number | null {
  return ms >= 0 && ms <= MAX_TIME_MS ? ms : null;
}
