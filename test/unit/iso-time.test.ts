import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isoTime, timeOf } from '../../src/graphql/answers/iso-time.js';

it('an ISO 8601 text is parsed as its time', () => {
  fc.assert(
    fc.property(fc.integer({ min: -8.64e15, max: 8.64e15 }), (time) => {
      expect(timeOf(isoTime(time))).toBe(time);
    }),
  );
});

it.each([
  ['2026-11-21T09:30:00Z', Date.UTC(2026, 10, 21, 9, 30)],
  ['2026-11-21T09:30:00.123456Z', Date.UTC(2026, 10, 21, 9, 30, 0, 123)],
  ['2026-11-21T09:30:00+02:00', Date.UTC(2026, 10, 21, 7, 30)],
  ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
])('%s is a time', (text, time) => expect(timeOf(text)).toBe(time));

it.each(['', 'today', '2026-11-21', '2026-11-21T09:30Z', '2026-11-21T09:30:00', '2026-11-21 09:30:00Z'])(
  '"%s" is not a time',
  (text) => expect(timeOf(text)).toBeNull(),
);

it.each(['2026-02-29T00:00:00Z', '2026-13-01T00:00:00Z', '2026-11-21T24:00:00Z', '2026-11-21T09:30:60Z'])(
  '%s does not exist',
  (text) => expect(timeOf(text)).toBeNull(),
);
