import type { ReactNode } from 'react';
import { dayLabel } from '../chats/by-day.js';
import type { Act } from './acts.js';

/** Acts of one day, newest first. */
export type ActsOfDay = readonly [day: Date, acts: readonly Act[]];

/** The most days without acts that the rail lists between two others. */
const MAX_QUIET = 6;

/** @param acts newest first */
export function byDay(acts: readonly Act[]): readonly ActsOfDay[] {
  const days = new Map<number, Act[]>();
  for (const act of acts) {
    const day = new Date(act.events[0]?.createdAt ?? 0).setHours(0, 0, 0, 0);
    days.set(day, [...(days.get(day) ?? []), act]);
  }
  return [...days].map(([day, list]) => [new Date(day), list]);
}

/** The id of the section of a day. */
export const dayId = (day: Date): string => `day-${day.getTime()}`;

/** Such as "Today"; the weekday of the last week, the date of earlier days. */
export function dayName(day: Date): string {
  const label = dayLabel(day, new Date());
  return /y$/.test(label) && !/(uary|July|May)$/.test(label) ? label : shortDate(day);
}

const shortDate = (day: Date): string =>
  day.toLocaleDateString('en', { day: 'numeric', month: 'short', year: 'numeric' });

/** The days with their numbers of acts; a click scrolls to one. Days without acts between them are muted. */
export function DayRail({ days }: { days: readonly ActsOfDay[] }): ReactNode {
  return (
    <nav className="day-rail" aria-label="Days">
      <ol>
        {days.flatMap(([day, acts], n) => [
          <li key={day.getTime()}>
            <button
              onClick={() =>
                document.getElementById(dayId(day))?.scrollIntoView({ block: 'start', behavior: 'smooth' })
              }
            >
              {dayName(day)} <small>{acts.length}</small>
            </button>
          </li>,
          ...quietDays(day, days[n + 1]?.[0]).map((quiet) => (
            <li key={quiet.getTime()}>
              <span>{dayName(quiet)}</span>
            </li>
          )),
        ])}
      </ol>
    </nav>
  );
}

/** The days between two days, newest first; none of a longer pause. */
function quietDays(newer: Date, older: Date | undefined): Date[] {
  if (older === undefined) return [];
  const days: Date[] = [];
  for (let n = 1; ; n++) {
    const day = new Date(newer.getFullYear(), newer.getMonth(), newer.getDate() - n);
    if (day <= older) return days;
    if (days.push(day) > MAX_QUIET) return [];
  }
}
