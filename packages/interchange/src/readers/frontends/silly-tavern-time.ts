import { anyToMs } from '../shared/times.js';

/**
 * SillyTavern's own date formats: `2026-08-31 @00h00m01s`, with or without milliseconds, and `August 31, 2026 9:00pm`.
 */
export function tavernTime(date: unknown): number | null {
  if (typeof date !== 'string') return anyToMs(date);
  const at = /^(\d{4})-(\d{1,2})-(\d{1,2})\s*@\s*(\d{1,2})h\s*(\d{1,2})m\s*(\d{1,2})s(?:\s*(\d{1,3})ms)?/.exec(date);
  if (at !== null) {
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, ms = 0] = at
      .slice(1)
      .map((each) => Number(each) || 0);
    return anyToMs(Date.UTC(year, month - 1, day, hour, minute, second, ms));
  }
  const words = /^(\w+ \d{1,2}, \d{4}) (\d{1,2}):(\d{2})\s*([ap])m$/i.exec(date);
  if (words === null) return anyToMs(date);
  const [, day, hour, minute, half = ''] = words;
  return anyToMs(`${day} ${(Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)}:${minute} UTC`);
}
