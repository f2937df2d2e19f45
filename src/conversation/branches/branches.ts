/** Finding branches by name, creating (for rewind, btw, restore, siblings and edits), renaming and deleting them. */
import { checkName } from '../bounds.js';
import { NextBranchNames, relevantPrefix } from './branch-names.js';
import type { ChatChange } from '../change.js';
import { changeChat } from '../chats.js';
import { AlreadyExistsError, InvalidInputError, NotFoundError } from '../errors.js';
import { checkAll } from '../input-problems.js';
import type { Branch, Chat, Message, ParentPlace, Viewer } from '../model.js';
import type { ConversationStore, LockedChat } from '../store.js';

/** A chat and one of its branches after a change. */
export interface BranchOutcome {
  chat: Chat;
  branch: Branch;
  /** The branch that was active before, as it is now; null when the active branch is the same. */
  previousActiveBranch: Branch | null;
}

/** The outcome of a change, after its last record. */
export async function outcomeOf(locked: LockedChat, change: ChatChange, branch: Branch): Promise<BranchOutcome> {
  return { chat: change.chat, branch, previousActiveBranch: await previousActiveBranch(locked, change) };
}

/** See BranchOutcome. */
export async function previousActiveBranch(locked: LockedChat, change: ChatChange): Promise<Branch | null> {
  if (change.activatedBranchId === null || change.isNew) return null;
  const before = await locked.activeBranch();
  return { ...(change.branches.get(before.id) ?? before), isActive: false };
}

/** A branch or checkpoint of a chat. */
export interface Named {
  chatId: string;
  name: string;
}

/**
 * Renames a branch. Nothing is written when it already has the name.
 * @throws InvalidInputError, NotFoundError, ForbiddenError, AlreadyExistsError
 */
export function renameBranch(
  store: ConversationStore,
  viewer: Viewer,
  request: Named & { newName: string },
): Promise<BranchOutcome> {
  const { newName } = checkAll({
    name: () => checkName(request.name, 'name'),
    newName: () => checkName(request.newName, 'newName'),
  });
  return changeChat(store, viewer, request.chatId, 'COMMENTER', async (locked, change) => {
    const branch = await requireBranch(locked, request.name);
    if (branch.name === newName) return outcomeOf(locked, change, branch);
    await requireFreeName(locked, newName);
    return outcomeOf(locked, change, change.renameBranch(branch, newName));
  });
}

/**
 * Deletes a branch that is not active; its messages stay.
 * @throws InvalidInputError, NotFoundError, ForbiddenError
 */
export function deleteBranch(
  store: ConversationStore,
  viewer: Viewer,
  request: Named,
): Promise<{ chat: Chat; deleted: Branch }> {
  checkName(request.name, 'name');
  return changeChat(store, viewer, request.chatId, 'COMMENTER', async (locked, change) => {
    const branch = await requireBranch(locked, request.name);
    if (branch.isActive) {
      throw new InvalidInputError(
        `name: branch "${branch.name}" is active and cannot be deleted: activate another branch first`,
        'name',
      );
    }
    change.deleteBranch(branch);
    return { chat: change.chat, deleted: branch };
  });
}

/** @throws NotFoundError, ForbiddenError */
export async function requireBranch(locked: LockedChat, name: string): Promise<Branch> {
  const branch = await locked.branch(name);
  if (branch === null) throw NotFoundError.branch(name, locked.chat.id);
  return branch;
}

/**
 * The branch to append to, the active one by default: see LockedChat.tip.
 * @throws NotFoundError, ForbiddenError
 */
export async function requireTip(locked: LockedChat, name: string | null): Promise<Branch> {
  const branch = await locked.tip(name);
  if (branch === null) throw NotFoundError.branch(name ?? 'main', locked.chat.id);
  return branch;
}

/**
 * Creates a branch at `head`, with the given name or the next one after another branch.
 * @throws AlreadyExistsError when the given name is taken
 */
export async function createBranch(
  locked: LockedChat,
  change: ChatChange,
  head: Pick<Message, 'id' | 'depth'> | null,
  name: { asked: string } | { after: Branch },
): Promise<Branch> {
  if ('after' in name) return change.createBranch((await namesAfter(locked, name.after.name)).take(), head);
  await requireFreeName(locked, name.asked);
  return change.createBranch(name.asked, head);
}

/** @throws AlreadyExistsError */
export async function requireFreeName(locked: LockedChat, name: string): Promise<void> {
  if ((await locked.branch(name)) === null) return;
  throw new AlreadyExistsError(`Branch "${name}" already exists in chat "${locked.chat.id}"`);
}

/** Generator of names for the branches that a change creates. */
export async function namesAfter(locked: LockedChat, base: string): Promise<NextBranchNames> {
  const names = new NextBranchNames(base);
  await locked.eachBranchName(relevantPrefix(base), (name) => names.note(name));
  return names;
}

/** The head of a branch as a place; null for an empty branch. */
export function headOf(branch: Branch): ParentPlace {
  return branch.headMessageId === null ? null : { id: branch.headMessageId, depth: branch.messageCount - 1 };
}
