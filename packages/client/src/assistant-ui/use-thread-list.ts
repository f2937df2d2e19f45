import type { ExternalStoreThreadListAdapter } from '@assistant-ui/react';
import { useMemo } from 'react';
import type { Outcome } from '../outcome.js';
import { useChats } from '../react/use-chats.js';

export interface ThreadListOptions {
  /** The id of the shown chat. */
  chatId: string;
  /** Shows another chat. A new chat has a new id: a store with `create: true` creates it with its first message. */
  onSwitch: (chatId: string) => void;
  /**
   * Called when a rename or a deletion was refused and reverted.
   * @default console.error
   */
  onError?: (error: unknown) => void;
}

/** The live list of chats for assistant-ui's ThreadList: the option `threadList` of `useThreadRuntime`. */
export function useThreadList({ chatId, onSwitch, onError }: ThreadListOptions): ExternalStoreThreadListAdapter {
  const { chats, status, rename, delete: remove } = useChats();
  const threads = useMemo(
    () => chats.map(({ id, title }) => ({ status: 'regular' as const, id, title: title ?? undefined })),
    [chats],
  );
  const done = async (outcome: Promise<Outcome<unknown>>) => {
    const ended = await outcome;
    // oxlint-disable-next-line no-console -- The option names another place.
    if (!ended.ok) (onError ?? console.error)(ended.error);
  };
  return {
    threadId: chatId,
    threads,
    isLoading: status === 'opening',
    onSwitchToThread: onSwitch,
    onSwitchToNewThread: () => onSwitch(crypto.randomUUID()),
    onRename: (id, title) => done(rename(id, title)),
    onDelete: (id) => done(remove(id)),
  };
}
