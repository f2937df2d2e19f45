/** Groups of chats by the day of their last change. */
import type { ChatItem } from '@parley/client';

export interface ChatGroup {
  label: string;
  chats: readonly ChatItem[];
}

/**
 * The last week has a group for each day, older chats for each month.
 * @param chats the newest first
 * @param pins the ids of the chats of the first group
 */
export function groupedByDay(chats: readonly ChatItem[], pins: ReadonlySet<string>, now: Date): ChatGroup[] {
  const groups = new Map<string, ChatItem[]>();
  for (const chat of chats) {
    const label = pins.has(chat.id) ? 'Pinned' : dayLabel(new Date(chat.updatedAt), now);
    const group = groups.get(label);
    if (group === undefined) groups.set(label, [chat]);
    else group.push(chat);
  }
  const isPinned = ([label]: [string, unknown]) => (label === 'Pinned' ? 0 : 1);
  return [...groups].sort((a, b) => isPinned(a) - isPinned(b)).map(([label, grouped]) => ({ label, chats: grouped }));
}

/** Days between two times, in the time zone of the browser. */
function daysBetween(time: Date, now: Date): number {
  const midnight = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return Math.round((midnight(now) - midnight(time)) / 86_400_000);
}

/** Such as "Today", a weekday of the last week, or a month. */
export function dayLabel(time: Date, now: Date): string {
  const days = daysBetween(time, now);
  if (days <= 0) return 'Today';
  if (days === 1) return 'Yesterday';
  if (days < 7) return time.toLocaleDateString('en', { weekday: 'long' });
  const isThisYear = time.getFullYear() === now.getFullYear();
  return time.toLocaleDateString('en', { month: 'long', ...(!isThisYear && { year: 'numeric' }) });
}

/** The time for the last two days, the date for other days. */
export function shortTime(time: Date, now: Date): string {
  const days = daysBetween(time, now);
  if (days <= 1) return time.toLocaleTimeString(undefined, { hour: 'numeric', minute: '2-digit' });
  const isThisYear = time.getFullYear() === now.getFullYear();
  return time.toLocaleDateString(undefined, {
    month: 'short',
    day: 'numeric',
    ...(!isThisYear && { year: 'numeric' }),
  });
}
