/** A draft and its branch, read with the lock of the chat. */
import { isPossibleId } from '../bounds.js';
import type { Branch } from '../model.js';
import type { LockedChat } from '../store.js';
import { draftNotFound, type Draft, type DraftKey } from './draft.js';

/** The draft of this chat with this id, maybe one that has ended; null when there is none. */
export async function draftOf(locked: LockedChat, id: string): Promise<Draft | null> {
  const draft = isPossibleId(id) ? await locked.draft(id) : null;
  return draft?.chatId === locked.chat.id ? draft : null;
}

/** @throws NotFoundError when there is none, or it has ended */
export async function openDraft(locked: LockedChat, key: DraftKey): Promise<Draft> {
  const draft = await draftOf(locked, key.id);
  if (draft === null || draft.endedAt !== null) throw draftNotFound(key);
  return draft;
}

/** The branch that a draft goes to; the active one when that has been deleted. */
export async function targetOf(locked: LockedChat, { branchId }: Draft): Promise<Branch> {
  const branch = await locked.branchById(branchId);
  return (await locked.tip(branch?.name ?? null)) ?? locked.activeBranch();
}
