/** Messages of stores. */
import { expect } from 'vitest';
import type { ContextStore, MessageData, NewMessageData } from '@parley/context';

export const aNumber = expect.any(Number) as number;

export const aText = expect.any(String) as string;

/** A user message, whose text is its id by default. */
export const userMessage = (id: string, text = id): NewMessageData => ({ id, name: 'user', content: { text } });

export const answered = (id: string, text = id): NewMessageData => ({ id, name: 'assistant', content: { text } });

export const ids = (messages: readonly MessageData[]) => messages.map(({ id }) => id);

/** Creates a chat "c" whose branch main is m1 ← m2 ← m3 ← m4. */
export async function chatOfFour(store: ContextStore): Promise<void> {
  await store.createChat({ id: 'c', userId: 'u' });
  await store.saveMessages('c', [userMessage('m1'), answered('m2'), userMessage('m3'), answered('m4')]);
}

/** The ids of each branch of the chat "c", the active one with a star. */
export async function branchesOf(store: ContextStore): Promise<Record<string, string[]>> {
  const all = (await store.listBranches('c')).map(async ({ name, isActive, headMessageId }) => [
    isActive ? `${name}*` : name,
    headMessageId === null ? [] : ids(await store.getMessageChain(headMessageId)),
  ]);
  return Object.fromEntries(await Promise.all(all)) as Record<string, string[]>;
}
