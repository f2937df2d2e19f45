/** The rules of the role COMMENTER: it writes only to branches that it created, and never changes the active branch. */
import type { ChatChange } from '../change.js';
import { ForbiddenError } from '../errors.js';
import type { ChatEvent } from '../model.js';
import type { LockedChat } from '../store.js';

/**
 * Checks the recorded change of a COMMENTER.
 * @throws ForbiddenError
 */
export async function requireOwnBranches(locked: LockedChat, change: ChatChange): Promise<void> {
  for (const event of change.events) {
    if (!(await isAllowed(locked, change, event))) throw new ForbiddenError('WRITER');
  }
}

async function isAllowed(locked: LockedChat, change: ChatChange, { type, payload }: ChatEvent): Promise<boolean> {
  switch (type) {
    case 'BranchCreated':
      return true;
    case 'BranchHeadMoved':
    case 'BranchRenamed':
    case 'BranchDeleted': {
      const branch = change.branches.get(payload.branchId) ?? (await locked.branchById(payload.branchId));
      return branch?.createdBy === change.actorId;
    }
    case 'MemberChanged':
      return payload.userId === change.actorId && payload.role === null;
    default:
      return false;
  }
}
