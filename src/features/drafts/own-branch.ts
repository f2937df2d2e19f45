/**
 * The branch that a draft gets when its parent is not the head of its branch. Clients that have navigated elsewhere
 * stay there. Called under the chat's lock.
 */
import { createBranch } from '../../conversation/branches/branches.js';
import { referredMessage } from '../../conversation/messages.js';
import type { LockedChat } from '../../conversation/store.js';
import type { Draft } from './draft.js';
import type { LockedDrafts } from './draft-store.js';

/** Whether a branch created for a draft now becomes active. */
export async function activatesBranch(locked: LockedChat, draft: Draft): Promise<boolean> {
  const { activation, requestedBranchId, requestedHeadId } = draft;
  if (activation === null) return true;
  if (activation === 'DONE' || activation === 'NEVER') return false;
  const { id, headMessageId } = await locked.activeBranch();
  return id === requestedBranchId && headMessageId === requestedHeadId;
}

/**
 * Creates the branch at the first content, or leaves it to the end when the active branch has changed since the start.
 */
export async function openOwnBranch({ locked, change }: LockedDrafts, draft: Draft): Promise<Draft> {
  if (!(await activatesBranch(locked, draft))) return { ...draft, activation: 'NEVER' };
  const parent = draft.parentId === null ? null : await referredMessage(locked, draft.parentId);
  const after = (await locked.branchById(draft.branchId)) ?? (await locked.activeBranch());
  const own = change.activate(await createBranch(locked, change, parent, { after }));
  return { ...draft, branchId: own.id, activation: 'DONE' };
}

/** After a discard, restores the previously active branch and deletes the draft's own, if both are unchanged. */
export async function closeOwnBranch(drafts: LockedDrafts, draft: Draft): Promise<void> {
  const { locked, change } = drafts;
  if (draft.activation !== 'DONE' || draft.requestedBranchId === null) return;
  const own = await locked.branchById(draft.branchId);
  if (own === null || !own.isActive || own.headMessageId !== draft.parentId) return;
  const previous = await locked.branchById(draft.requestedBranchId);
  if (previous === null || previous.headMessageId !== draft.requestedHeadId) return;
  const isShared = (await drafts.all()).some(({ id, branchId }) => id !== draft.id && branchId === own.id);
  if (isShared) return;
  change.activate(previous);
  change.deleteBranch(own);
}
