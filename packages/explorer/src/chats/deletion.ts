/** Deletions of chats, which can be undone while the server keeps the chats. */
import type { ChatItem } from '@parley/client';
import { DeleteChat, RestoreChat } from '@parley/client/operations';
import { useChats, useParley } from '@parley/client/react';
import { ask } from '../design/ask.js';
import { notify } from '../design/toast.js';
import { ReadRecovery } from '../generated/operations.js';
import { linkTo, placeOf } from '../place.js';
import { SharedValue } from '../browser/shared-value.js';
import { counted } from '../words.js';

const UNDO_TIMEOUT_MS = 10_000;

/** The time of the last change of each deleted chat: lists that were read before hide it, and show it once it is restored. */
const deleted = new SharedValue<ReadonlyMap<string, string>>(new Map());

const show = (id: string) => deleted.set(new Map([...deleted.get()].filter(([each]) => each !== id)));

/** The chats of a list without the deleted ones. */
export function useKept(chats: readonly ChatItem[]): readonly ChatItem[] {
  const hidden = deleted.use();
  return hidden.size === 0 ? chats : chats.filter(({ id, updatedAt }) => updatedAt > (hidden.get(id) ?? ''));
}

/** A function that restores deleted chats. */
export function useRestoration(): (ids: readonly string[]) => Promise<void> {
  const parley = useParley();
  return async (ids) => {
    for (const id of ids) {
      await parley.run(RestoreChat, { input: { chatId: id } }).then(
        () => show(id),
        (reason: Error) => notify({ text: `The chat was not restored: ${reason.message}`, isUrgent: true }),
      );
    }
  };
}

const notifyKept = (reason: unknown) =>
  notify({ text: `The chat was not deleted: ${(reason as Error).message}`, isUrgent: true });

/** A function that deletes chats, with an undo, or with a question before if the server removes them at once. */
export function useDeletion(): (ids: readonly string[]) => Promise<void> {
  const parley = useParley();
  const { chats } = useChats();
  const restore = useRestoration();
  return async (ids) => {
    const itemOf = (id: string) => chats.find((chat) => chat.id === id);
    try {
      const { viewer } = await parley.run(ReadRecovery, {});
      if (viewer.recoveryDays === 0 && !(await confirm(ids.map((id) => itemOf(id)?.title ?? 'Untitled')))) return;
    } catch (reason) {
      return notifyKept(reason);
    }
    const times = ids.map((id) => [id, itemOf(id)?.updatedAt ?? new Date().toISOString()] as const);
    deleted.set(new Map([...deleted.get(), ...times]));
    const { chatId } = placeOf(location.hash);
    if (chatId !== null && ids.includes(chatId)) location.hash = linkTo({});
    const done: string[] = [];
    const restorable: string[] = [];
    for (const id of ids) {
      try {
        const { deleteChat } = await parley.run(DeleteChat, { input: { chatId: id } });
        done.push(id);
        if ('restorableUntil' in deleteChat && deleteChat.restorableUntil !== null) restorable.push(id);
      } catch (reason) {
        show(id);
        notifyKept(reason);
      }
    }
    const [first] = done;
    if (first === undefined) return;
    notify({
      text: `Deleted ${done.length === 1 ? (itemOf(first)?.title ?? 'Untitled') : `${done.length} chats`}`,
      timeoutMs: UNDO_TIMEOUT_MS,
      ...(restorable.length > 0 && { action: { label: 'Undo', run: () => void restore(restorable) } }),
    });
  };
}

async function confirm(titles: readonly string[]): Promise<boolean> {
  const expected = titles.length === 1 ? titles.join('') : counted(titles.length, 'chat');
  return (await ask({ title: 'Delete for good', label: `Type ${expected} to delete it`, expected })) !== null;
}
