/** The location in the explorer, stored in the URL fragment, so that everything has a link. */
import { useSyncExternalStore } from 'react';

export const VIEWS = ['thread', 'split', 'graph', 'compare', 'history'] as const;
export type View = (typeof VIEWS)[number];

export const viewName = (view: View): string => view.replace(/^./, (first) => first.toUpperCase());

/** The former name of the graph, so that old links still open it. */
const FORMER_GRAPH = 'picture';

export type Page = 'users' | 'tokens' | 'shared';

export const PAGE_NAMES: Readonly<Record<Page, string>> = {
  users: 'Users',
  tokens: 'Access tokens',
  shared: 'Shared conversation',
};

export interface Place {
  /** Null for none. */
  chatId: string | null;
  view: View;
  /** The selected message; null for the end of the thread, or of the active branch. */
  messageId: string | null;
  /** The message to compare with. */
  otherId: string | null;
  /** A page without a chat: the access tokens; a share to copy; the users, for admins. */
  page: Page | null;
  /** The token of the share to copy; null for none. */
  shareToken: string | null;
  /** The key of its branch; null for the path that opens first. */
  sharedBranch: string | null;
  /** The owner of the listed chats, for admins; null for all. */
  userId: string | null;
}

const NOWHERE: Place = {
  ...{ chatId: null, view: 'thread', messageId: null, otherId: null },
  ...{ page: null, shareToken: null, sharedBranch: null, userId: null },
};

/** Screens with room for the thread and the graph. */
export const WIDE = '(min-width: 64rem)';

/** Screens that show one thing at a time. Equals the width in style sheets. */
export const SMALL = '(max-width: 45rem)';

/** Screens with larger controls, on which a tap opens the actions of a message. Equals the query in style sheets. */
export const TOUCH = '(max-width: 45rem), (pointer: coarse)';

/** The view of a message: the one that is shown, or else the split view on wide screens. */
function messageView(): View {
  const { view, chatId } = placeOf(location.hash);
  if (chatId !== null && (view === 'thread' || view === 'split')) return view;
  return matchMedia(WIDE).matches ? 'split' : 'thread';
}

/** The link to a location. Without a view, it opens the thread, beside the graph if there is room. */
export function linkTo({
  chatId,
  view,
  messageId = null,
  otherId = null,
  page = null,
  userId = null,
}: Partial<Place>): string {
  if (page !== null) return `#/${[page, ...(userId === null ? [] : [userId])].map(encodeURIComponent).join('/')}`;
  if (chatId == null) return '#/';
  const path = ['', 'chats', chatId, view ?? messageView(), ...[messageId, otherId].filter((id) => id !== null)];
  return `#${path.map(encodeURIComponent).join('/')}`;
}

/** The link to another view of a chat, at the same message where both show one. */
export function linkOfView(view: View, { chatId, view: before, messageId }: Place): string {
  const isOfMessage = [view, before].every((each) => each === 'thread' || each === 'split' || each === 'graph');
  return linkTo({ chatId, view, messageId: isOfMessage ? messageId : null });
}

export function placeOf(hash: string): Place {
  const [, kind, chatId, view, messageId, otherId] = hash.replace(/^#/, '').split('/').map(decoded);
  if (kind === 'users') return { ...NOWHERE, page: 'users', userId: chatId || null };
  if (kind === 'tokens') return { ...NOWHERE, page: kind };
  if (kind === 'shared' && chatId) return { ...NOWHERE, page: kind, shareToken: chatId, sharedBranch: view || null };
  if (kind !== 'chats' || !chatId) return NOWHERE;
  return {
    ...NOWHERE,
    chatId,
    view: view === FORMER_GRAPH ? 'graph' : (VIEWS.find((each) => each === view) ?? 'thread'),
    messageId: messageId ?? null,
    otherId: otherId ?? null,
  };
}

/** The URL may contain anything. */
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

/** Whether a media query matches, live. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}
