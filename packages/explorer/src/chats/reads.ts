/** The chats with changes that this browser has not shown. */
import type { ChatItem } from '@parley/client';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { SharedValue } from '../browser/shared-value.js';
import { readStored, writeStored } from '../browser/stored.js';

const KEY = 'parley-reads';
/** Chats with a time of their own. The times of others are dropped, and `floor` replaces them. */
const MAX_READS = 500;

interface Reads {
  /** Every chat counts as read until this time; null before the first visit. */
  floor: string | null;
  /** The last change that was shown, by chat id. */
  chats: Readonly<Record<string, string>>;
}

/** A visit of a chat: changes after `since` and until `until` were new at its start. */
interface Visit {
  chatId: string;
  since: string;
  until: string;
}

const reads = new SharedValue(stored());
const visit = new SharedValue<Visit | null>(null);

function stored(): Reads {
  const { floor, chats } = (readStored(KEY) ?? {}) as { floor?: unknown; chats?: unknown };
  const entries = Object.entries(chats ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return { floor: typeof floor === 'string' ? floor : null, chats: Object.fromEntries(entries) };
}

function save(next: Reads): void {
  writeStored(KEY, next);
  reads.set(next);
}

// Another tab has shown a chat.
addEventListener('storage', ({ key }) => {
  if (key === KEY) reads.set(stored());
});

/** The time until which a chat was shown. */
function readUntil({ floor, chats }: Reads, chatId: string): string {
  const own = chats[chatId] ?? '';
  return floor === null || own > floor ? own : floor;
}

const isUnread = ({ id, updatedAt, lastMessage }: ChatItem) =>
  reads.get().floor !== null && lastMessage !== null && updatedAt > readUntil(reads.get(), id);

/** Records that the changes of a chat until now were shown. */
export function markRead({ id, updatedAt }: Pick<ChatItem, 'id' | 'updatedAt'>): void {
  if (updatedAt <= readUntil(reads.get(), id)) return;
  const newest = Object.entries({ ...reads.get().chats, [id]: updatedAt }).sort(([, a], [, b]) => (a < b ? 1 : -1));
  const floor = newest[MAX_READS]?.[1] ?? reads.get().floor;
  save({ floor, chats: Object.fromEntries(newest.slice(0, MAX_READS)) });
}

const followVisibility = (listener: () => void) => {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
};

/**
 * Marks the open chat as read while the page is visible.
 * @param chats the list; null before it was read
 * @returns the number of chats with new messages
 */
export function useReading(chats: readonly ChatItem[] | null, openId: string | null): number {
  const isVisible = useSyncExternalStore(followVisibility, () => document.visibilityState === 'visible');
  const unread = useUnread(chats ?? []);
  const open = isVisible ? chats?.find(({ id }) => id === openId) : undefined;
  // At the first visit, nothing is new. Times are the server's.
  useEffect(() => {
    if (chats !== null && reads.get().floor === null) save({ ...reads.get(), floor: chats[0]?.updatedAt ?? '' });
  }, [chats]);
  useEffect(() => {
    if (open === undefined) return visit.set(null);
    const { id: chatId, updatedAt: until } = open;
    if (visit.get()?.chatId !== chatId) visit.set({ chatId, since: readUntil(reads.get(), chatId), until });
    markRead(open);
  }, [open]);
  return unread.size;
}

/** The ids of the chats with new messages. */
export function useUnread(chats: readonly ChatItem[]): ReadonlySet<string> {
  const current = reads.use();
  return useMemo(() => new Set(chats.filter(isUnread).map(({ id }) => id)), [chats, current]);
}

/** The visit of the open chat; null before its list was read. */
export const useVisit = visit.use;
