/** Where one is, which stands in the address behind #, so that everything has a link. */
import { useSyncExternalStore } from 'react';

export interface Place {
  /** Null for none. */
  chatId: string | null;
  view: 'thread' | 'picture';
  /** The message that the thread is opened at; null for its end. */
  messageId: string | null;
}

/** The link to a place. */
export function linkTo({ chatId, view = 'thread', messageId = null }: Partial<Place>): string {
  if (chatId == null) return '#/';
  const path = ['', 'chats', chatId, view, ...(messageId === null ? [] : [messageId])];
  return `#${path.map(encodeURIComponent).join('/')}`;
}

export function placeOf(hash: string): Place {
  const [, kind, chatId, view, messageId] = hash.replace(/^#/, '').split('/').map(decoded);
  if (kind !== 'chats' || !chatId) return { chatId: null, view: 'thread', messageId: null };
  return { chatId, view: view === 'picture' ? 'picture' : 'thread', messageId: messageId ?? null };
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
