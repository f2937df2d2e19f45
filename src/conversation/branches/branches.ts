/** Branches by name: looked up, made (by rewind, btw, restore, siblings and edits alike), renamed and removed. */
import { checkName } from '../bounds.js';
import { NextBranchNames, relevantPrefix } from './branch-names.js';
import type { ChatChange } from '../change.js';
import { changeChat } from '../chats.js';
import { AlreadyExistsError, InvalidInputError, NotFoundError } from '../errors.js';
import type { Branch, Chat, Message, Viewer } from '../model.js';
import type { Place } from '../saving/placement.js';
import type { ConversationStore, LockedChat } from '../store.js';

/** A chat and one of its branches after a change. */
export interface BranchOutcome {
  chat: Chat;
  branch: Branch;
}

/**
 * Another name for a branch. To the name that it has nothing is written.
 * @throws InvalidInputError, NotFoundError, AlreadyExistsError
 */
export function renameBranch(
  store: ConversationStore,
  viewer: Viewer,
  request: { chatId: string; name: string; newName: string },
): Promise<BranchOutcome> {
  checkName(request.name, 'name');
  const newName = checkName(request.newName, 'newName');
  return changeChat(store, viewer, request.chatId, async (locked, change) => {
    const branch = await requireBranch(locked, request.name);
    if (branch.name === newName) return { chat: change.chat, branch };
    await requireFreeName(locked, newName);
    const renamed = change.renameBranch(branch, newName);
    return { chat: change.chat, branch: renamed };
  });
}

/**
 * Removes the name of a branch that is not active; every message stays.
 * @throws InvalidInputError, NotFoundError
 */
export function deleteBranch(
  store: ConversationStore,
  viewer: Viewer,
  request: { chatId: string; name: string },
): Promise<{ chat: Chat; deleted: Branch }> {
  checkName(request.name, 'name');
  return changeChat(store, viewer, request.chatId, async (locked, change) => {
    const branch = await requireBranch(locked, request.name);
    if (branch.isActive) {
      throw new InvalidInputError(
        `name: branch "${branch.name}" is the active one and cannot be deleted: make another one active before`,
        'name',
      );
    }
    change.deleteBranch(branch);
    return { chat: change.chat, deleted: branch };
  });
}

/** @throws NotFoundError */
export async function requireBranch(locked: LockedChat, name: string): Promise<Branch> {
  const branch = await locked.branch(name);
  if (branch === null) throw NotFoundError.branch(name, locked.chat.id);
  return branch;
}

/**
 * The branch that messages are to be put behind, the active one by default: see LockedChat.tip.
 * @throws NotFoundError
 */
export async function requireTip(locked: LockedChat, name: string | null): Promise<Branch> {
  const branch = await locked.tip(name);
  if (branch === null) throw NotFoundError.branch(name ?? 'main', locked.chat.id);
  return branch;
}

/**
 * A new branch at `head`, named as asked or after another branch: the active one, or the one that a save goes to.
 * @throws AlreadyExistsError when the name asked for is taken
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

/** The names of new branches after another, for as many as a change makes. */
export async function namesAfter(locked: LockedChat, base: string): Promise<NextBranchNames> {
  const names = new NextBranchNames(base);
  await locked.eachBranchName(relevantPrefix(base), (name) => names.note(name));
  return names;
}

/** The place where a branch ends; null for an empty one. */
export function headOf(branch: Branch): Place {
  return branch.headMessageId === null ? null : { id: branch.headMessageId, depth: branch.messageCount - 1 };
}
