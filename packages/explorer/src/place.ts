/** Where one is, which stands in the address behind #, so that everything has a link. */
import { useSyncExternalStore } from 'react';

export const VIEWS = ['thread', 'picture', 'compare', 'history'] as const;
export type View = (typeof VIEWS)[number];

export interface Place {
  /** Null for none. */
  chatId: string | null;
  view: View;
  /** The message that is looked at; null for the end of the thread, or of the active branch. */
  messageId: string | null;
  /** The one that it is compared with. */
  otherId: string | null;
  /** What has no chat: the users, for admins. */
  room: 'users' | null;
  /** The user whose chats are listed, for admins; null for all. */
  userId: string | null;
}

const NOWHERE: Place = { chatId: null, view: 'thread', messageId: null, otherId: null, room: null, userId: null };

/** The link to a place. */
export function linkTo({
  chatId,
  view = 'thread',
  messageId = null,
  otherId = null,
  room = null,
  userId = null,
}: Partial<Place>): string {
  if (room !== null) return `#/${[room, ...(userId === null ? [] : [userId])].map(encodeURIComponent).join('/')}`;
  if (chatId == null) return '#/';
  const path = ['', 'chats', chatId, view, ...[messageId, otherId].filter((id) => id !== null)];
  return `#${path.map(encodeURIComponent).join('/')}`;
}

export function placeOf(hash: string): Place {
  const [, kind, chatId, view, messageId, otherId] = hash.replace(/^#/, '').split('/').map(decoded);
  if (kind === 'users') return { ...NOWHERE, room: 'users', userId: chatId || null };
  if (kind !== 'chats' || !chatId) return NOWHERE;
  return {
    chatId,
    view: VIEWS.find((each) => each === view) ?? 'thread',
    messageId: messageId ?? null,
    otherId: otherId ?? null,
    room: null,
    userId: null,
  };
}

/** Somebody may have typed it. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function usePlace(): Place {
  return placeOf(useSyncExternalStore(followHash, () => location.hash));
}

function followHash(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}
