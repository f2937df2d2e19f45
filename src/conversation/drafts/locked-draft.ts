/** Reads a draft and its branch under the chat's lock. */
import { isPossibleId } from '../bounds.js';
import type { Branch } from '../model.js';
import type { LockedChat } from '../store.js';
import { draftNotFound, type Draft, type DraftKey } from './draft.js';

/** The draft of this chat with this id, open or ended; null when there is none. */
export async function draftOf(locked: LockedChat, id: string): Promise<Draft | null> {
  return isPossibleId(id) ? await locked.draft(id) : null;
}

/** @throws NotFoundError for an unknown or ended draft */
export async function openDraft(locked: LockedChat, key: DraftKey): Promise<Draft> {
  const draft = await draftOf(locked, key.id);
  if (draft === null || draft.endedAt !== null) throw draftNotFound(key);
  return draft;
}

/** The target branch of a draft; the active one when the target was deleted. */
export async function targetOf(locked: LockedChat, { branchId }: Draft): Promise<Branch> {
  const branch = await locked.branchById(branchId);
  return (await locked.tip(branch?.name ?? null)) ?? locked.activeBranch();
}
