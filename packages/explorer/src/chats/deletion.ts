/** Deletions of chats that can be undone: the request follows when the toast closes, or when the page does. */
import type { ChatItem } from '@parley/client';
import { DeleteChat } from '@parley/client/operations';
import { useChats, useParley } from '@parley/client/react';
import { useSyncExternalStore } from 'react';
import { notify } from '../design/toast.js';
import { linkTo, placeOf } from '../place.js';
import { shellWords } from '../shell/shell-words.js';
import { useAuthorization } from '../token.js';
import { words } from '../words.js';
import { listWords } from './list-words.js';

const UNDO_TIMEOUT_MS = 10_000;

/** The chats that are deleted unless the user undoes it, and the function that sends each request at once. */
let pending: ReadonlyMap<string, () => void> = new Map();
const listeners = new Set<() => void>();

function change(next: ReadonlyMap<string, () => void>): void {
  pending = next;
  listeners.forEach((listener) => listener());
}

function without(ids: readonly string[]): ReadonlyMap<string, () => void> {
  return new Map([...pending].filter(([id]) => !ids.includes(id)));
}

// The browser sends these requests after the page.
addEventListener('pagehide', () => pending.forEach((send) => send()));

/** The chats of a list without those that are being deleted. */
export function useKept(chats: readonly ChatItem[]): readonly ChatItem[] {
  const deleted = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => pending,
  );
  return deleted.size === 0 ? chats : chats.filter(({ id }) => !deleted.has(id));
}

/** A function that deletes chats, with an undo for ten seconds. */
export function useDeletion(): (ids: readonly string[]) => void {
  const parley = useParley();
  const { chats } = useChats();
  const headers = { 'content-type': 'application/json', ...useAuthorization() };
  return (ids) => {
    const request = (id: string) =>
      void fetch('/graphql', {
        method: 'POST',
        keepalive: true,
        headers,
        body: JSON.stringify({ query: DeleteChat, variables: { input: { id } } }),
      });
    change(new Map([...pending, ...ids.map((id) => [id, () => request(id)] as const)]));
    const { chatId } = placeOf(location.hash);
    if (chatId !== null && ids.includes(chatId)) location.hash = linkTo({});
    const run = async () => {
      for (const id of ids) {
        await parley
          .run(DeleteChat, { input: { id } })
          .catch((reason: Error) => notify({ text: listWords.notDeleted(reason.message), isUrgent: true }));
      }
      change(without(ids));
    };
    notify({
      text: listWords.deleted(ids.map((id) => chats.find((chat) => chat.id === id)?.title ?? words.untitled)),
      timeoutMs: UNDO_TIMEOUT_MS,
      action: { label: shellWords.undo, run: () => change(without(ids)) },
      onExpired: () => void run(),
    });
  };
}
