/** New branches at a message, asked for by rewind, btw, restore, siblings and edits alike. */
import { NextBranchNames, relevantPrefix } from './branch-names.js';
import type { ChatChange } from './change.js';
import { AlreadyExistsError, NotFoundError } from './errors.js';
import type { Branch, Message } from './model.js';
import type { Place } from './placement.js';
import type { LockedChat } from './store.js';

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
  if ((await locked.branch(name.asked)) !== null) {
    throw new AlreadyExistsError(`Branch "${name.asked}" already exists in chat "${locked.chat.id}"`);
  }
  return change.createBranch(name.asked, head);
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
