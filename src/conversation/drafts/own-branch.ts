/**
 * The branch of its own that a draft needs when its parent is not the head of its branch. Pages that have navigated elsewhere
 * since the request stay where they are. Called with the lock of the chat.
 */
import { createBranch } from '../branches/branches.js';
import type { ChatChange } from '../change.js';
import { referredMessage } from '../messages.js';
import type { LockedChat } from '../store.js';
import type { Draft } from './draft.js';

/** Whether a branch that is made for a draft now becomes the active one. */
export async function activatesBranch(locked: LockedChat, draft: Draft): Promise<boolean> {
  const { activation, requestedBranchId, requestedHeadId } = draft;
  if (activation === null) return true;
  if (activation === 'DONE' || activation === 'NEVER') return false;
  const { id, headMessageId } = await locked.activeBranch();
  return id === requestedBranchId && headMessageId === requestedHeadId;
}

/** Makes the branch at the first content, unless the active branch has changed since the request: then at the end. */
export async function openOwnBranch(locked: LockedChat, change: ChatChange, draft: Draft): Promise<Draft> {
  if (!(await activatesBranch(locked, draft))) return { ...draft, activation: 'NEVER' };
  const parent = await referredMessage(locked, draft.parentId ?? '');
  const after = (await locked.branchById(draft.branchId)) ?? (await locked.activeBranch());
  const own = change.activate(await createBranch(locked, change, parent, { after }));
  return { ...draft, branchId: own.id, activation: 'DONE' };
}

/** Returns to the branch that was active before a discarded draft, and deletes the draft's own, if both are as the draft left them. */
export async function closeOwnBranch(locked: LockedChat, change: ChatChange, draft: Draft): Promise<void> {
  if (draft.activation !== 'DONE' || draft.requestedBranchId === null) return;
  const own = await locked.branchById(draft.branchId);
  if (own === null || !own.isActive || own.headMessageId !== draft.parentId) return;
  const previous = await locked.branchById(draft.requestedBranchId);
  if (previous === null || previous.headMessageId !== draft.requestedHeadId) return;
  const isShared = (await locked.drafts()).some(({ id, branchId }) => id !== draft.id && branchId === own.id);
  if (isShared) return;
  change.activate(previous);
  change.deleteBranch(own);
}
