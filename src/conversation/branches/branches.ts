/** Finding branches by name, creating (for rewind, btw, restore, siblings and edits), renaming and deleting them. */
import { checkName, checkOptionalName, isPossibleId, nameOrId, optionalNameOrId, type NameOrId } from '../bounds.js';
import { NextBranchNames, relevantPrefix } from './branch-names.js';
import type { ChatChange } from '../change.js';
import { changeChat } from '../chats.js';
import { AlreadyExistsError, InvalidInputError, NotFoundError } from '../errors.js';
import { InputChecks } from '../input-problems.js';
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
  const previous = change.activatedBranchId === null ? null : await previousActiveBranch(locked, change);
  return { chat: change.chat, branch, previousActiveBranch: previous };
}

export async function previousActiveBranch(locked: LockedChat, change: ChatChange): Promise<Branch | null> {
  if (change.activatedBranchId === null || change.isNew) return null;
  const before = await locked.activeBranch();
  return { ...(change.branches.get(before.id) ?? before), isActive: false };
}

/** A branch of a chat: exactly one of its name and its id. */
export interface BranchRequest {
  chatId: string;
  name?: string | null | undefined;
  branchId?: string | null | undefined;
}

/** @throws InvalidInputError */
export function checkBranch({ name, branchId }: BranchRequest): NameOrId {
  return nameOrId(checkOptionalName(name, 'name'), branchId, ['name', 'branchId']);
}

/**
 * Checks the branch of a request.
 * @returns null for the active branch
 * @throws InvalidInputError
 */
export function checkTarget(request: {
  branch?: string | null | undefined;
  branchId?: string | null | undefined;
}): NameOrId | null {
  return optionalNameOrId(checkOptionalName(request.branch, 'branch'), request.branchId, ['branch', 'branchId']);
}

/**
 * Renames a branch. Nothing is written when it already has the name.
 * @throws InvalidInputError, NotFoundError, ForbiddenError, AlreadyExistsError
 */
export function renameBranch(
  store: ConversationStore,
  viewer: Viewer,
  request: BranchRequest & { newName: string },
): Promise<BranchOutcome> {
  const checks = new InputChecks();
  const key = checks.run(checkBranch, request);
  const newName = checks.run(checkName, request.newName, 'newName');
  checks.end();
  return changeChat(store, viewer, request.chatId, 'COMMENTER', async (locked, change) => {
    const branch = await requireBranch(locked, key);
    if (branch.name === newName) return outcomeOf(locked, change, branch);
    await requireFreeName(locked, change, newName);
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
  request: BranchRequest,
): Promise<{ chat: Chat; deleted: Branch }> {
  const key = checkBranch(request);
  return changeChat(store, viewer, request.chatId, 'COMMENTER', async (locked, change) => {
    const branch = await requireBranch(locked, key);
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
export async function requireBranch(locked: LockedChat, key: NameOrId): Promise<Branch> {
  if ('name' in key) return found(locked, key.name, await locked.branch(key.name));
  return found(locked, key.id, isPossibleId(key.id) ? await locked.branchById(key.id) : null);
}

/**
 * The branch to append to, the active one by default: see LockedChat.tip.
 * @throws NotFoundError, ForbiddenError
 */
export async function requireTip(locked: LockedChat, key: NameOrId | null): Promise<Branch> {
  const name = key === null ? null : 'name' in key ? key.name : (await requireBranch(locked, key)).name;
  return found(locked, name ?? 'main', await locked.tip(name));
}

/** The branch whose tip a change reads with the lock: see ChangeOptions.tipOf. */
export function tipOf(key: NameOrId | null): string | null | undefined {
  return key === null ? null : 'name' in key ? key.name : undefined;
}

function found({ chat }: LockedChat, key: string, branch: Branch | null): Branch {
  if (branch === null) throw NotFoundError.branch(key, chat.id);
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
  await requireFreeName(locked, change, name.asked);
  return change.createBranch(name.asked, head);
}

/** @throws AlreadyExistsError for the name of a stored branch, or of one that the change creates */
export async function requireFreeName(locked: LockedChat, { branches }: ChatChange, name: string): Promise<void> {
  const isCreated = [...branches.values()].some((branch) => branch.name === name);
  if (!isCreated && (await locked.branch(name)) === null) return;
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
